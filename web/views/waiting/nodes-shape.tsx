/** Nodes before their agents are heard: disks as blocks, volume groups as bars. */
import { Bone, Bones, numbered } from '../../parts/bones.tsx';

const CARDS = 6;
const DISKS = 3;

export function NodesShape() {
  return (
    <ul class="node-cards">
      {numbered(CARDS).map((card) => (
        <li key={card} class="card">
          <header>
            <Bone rem={1} as="pill" />
            <Bone rem={6} />
            <Bone rem={3} as="pill" />
          </header>
          <Disks count={DISKS - (card % 2)} />
          {card % 3 !== 1 && <span class="group-bar" />}
        </li>
      ))}
    </ul>
  );
}

export function NodeShape() {
  return (
    <>
      <div class="section">
        <p class="section-title">Devices</p>
        <Disks count={DISKS} />
        <ul class="device-cards">
          {numbered(DISKS).map((card) => (
            <li key={card} class="card">
              <Bones count={4} rem={18} />
            </li>
          ))}
        </ul>
      </div>
      <div class="section">
        <p class="section-title">Volume groups</p>
        <div class="card">
          <Bone rem={10} />
          <span class="group-bar" />
        </div>
      </div>
    </>
  );
}

function Disks({ count }: { readonly count: number }) {
  return (
    <ul class="device-strip">
      {numbered(count).map((disk) => (
        <li key={disk} class="device-block device-awaited">
          <Bones count={3} rem={4.5} />
        </li>
      ))}
    </ul>
  );
}
