/** The overview before there is an answer: the question stands, with what it waits for. */
import { Bone, Bones, numbered, uneven } from '../../parts/bones.tsx';
import { HealthShape } from '../../parts/health-mark.tsx';

const TILES = ['Volumes', 'Recovery point', 'Next full pool'] as const;
const JOBS = 5;

export function OverviewShape({ words }: { readonly words: string }) {
  return (
    <div class="overview">
      <header class="verdict verdict-waiting">
        <HealthShape health="busy" />
        <div role="status">
          <p class="verdict-question">Is my data safe?</p>
          <h1>{words}</h1>
          <p class="quiet-text">The answer comes when all of it was looked at.</p>
        </div>
      </header>
      <div class="waiting" aria-hidden="true">
        <div class="tiles">
          {TILES.map((title, index) => (
            <div key={title} class={index === 0 ? 'tile tile-wide' : 'tile'}>
              <p class="tile-title">{title}</p>
              <Bone rem={5} as="figure" />
              {index === 0 && <span class="health-bar" />}
              <Bones count={index === 0 ? 1 : 2} rem={14} />
            </div>
          ))}
        </div>
        <div class="columns">
          <div class="section">
            <p class="section-title">Needs you</p>
            <div class="needs">
              {numbered(2).map((need) => (
                <div key={need} class="need need-awaited">
                  <Bones count={3} rem={26} />
                </div>
              ))}
            </div>
          </div>
          <div class="section">
            <p class="section-title">Jobs</p>
            <ul class="jobs">
              {numbered(JOBS).map((job) => (
                <li key={job}>
                  <Bone rem={1} as="pill" />
                  <Bone rem={4} />
                  <Bone rem={18 * uneven(job)} />
                </li>
              ))}
            </ul>
          </div>
        </div>
      </div>
    </div>
  );
}
