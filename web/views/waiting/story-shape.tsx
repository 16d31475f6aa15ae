/** The story of a volume before it is told. */
import { Bone, Bones, numbered, uneven } from '../../parts/bones.tsx';

const FACTS = 8;
const MOMENTS = 4;

/** The line below the name: how it stands. */
export function SummaryShape() {
  return (
    <div class="summary">
      {[4, 5, 4, 8].map((rem, index) => (
        <Bone key={index} rem={rem} />
      ))}
    </div>
  );
}

export function StoryShape() {
  return (
    <div class="columns">
      <div class="section">
        <p class="section-title">Facts</p>
        <div class="facts">
          {numbered(FACTS).map((fact) => (
            <div key={fact}>
              <Bone rem={5 * uneven(fact + 2)} />
              <Bone rem={16 * uneven(fact)} />
            </div>
          ))}
        </div>
      </div>
      <div class="section">
        <p class="section-title">What happened</p>
        <ol class="moments">
          {numbered(MOMENTS).map((moment) => (
            <li key={moment}>
              <Bones count={2} rem={16 * uneven(moment)} />
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}
