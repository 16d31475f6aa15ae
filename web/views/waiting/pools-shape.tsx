/** A pool before it is known: rings of its agents, and the place of its chart. */
import { Bone, Bones, numbered } from '../../parts/bones.tsx';

const AGENTS = 4;

export function PoolsShape() {
  return (
    <div class="card pool">
      <header>
        <Bone rem={1} as="pill" />
        <Bone rem={9} />
        <Bone rem={4} as="pill" />
      </header>
      <div class="pool-body">
        <div>
          <p class="part-title">Agents</p>
          <ul class="gauges">
            {numbered(AGENTS).map((agent) => (
              <li key={agent} class="gauge">
                <svg class="ring" viewBox="0 0 48 48" aria-hidden="true" focusable="false">
                  <circle class="ring-track" cx="24" cy="24" r="20" />
                </svg>
                <Bones count={3} rem={6} />
              </li>
            ))}
          </ul>
        </div>
        <div>
          <p class="part-title">Use</p>
          <Bone rem={14} as="figure" />
          <span class="bone chart-awaited" />
        </div>
      </div>
    </div>
  );
}
