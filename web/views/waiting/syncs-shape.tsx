/** A sync before it is known: its three figures, and the lanes of its timeline. */
import { Bone, Bones, numbered } from '../../parts/bones.tsx';

const FIGURES = ['Recovery point', 'Newest export', 'Recovery time'] as const;
const LANES = ['Exports', 'Restores', 'Drills'] as const;

export function SyncsShape() {
  return (
    <div class="card sync">
      <header>
        <Bone rem={1} as="pill" />
        <Bone rem={7} />
        <Bone rem={5} as="pill" />
      </header>
      <dl class="figures">
        {FIGURES.map((figure) => (
          <div key={figure}>
            <dt>{figure}</dt>
            <dd>
              <Bone rem={6} as="figure" />
            </dd>
            <dd>
              <Bone rem={7} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="part-title">Timeline</p>
      <div class="lanes">
        {LANES.map((lane) => (
          <div key={lane} class="lane">
            <span class="lane-title">{lane}</span>
            <div class="lane-track" />
          </div>
        ))}
      </div>
      <div class="columns">
        {numbered(2).map((column) => (
          <div key={column}>
            <p class="part-title">{column === 0 ? 'Conditions' : 'Drills'}</p>
            <Bones count={3} rem={18} />
          </div>
        ))}
      </div>
    </div>
  );
}
