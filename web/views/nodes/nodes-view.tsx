/** All nodes, each with a picture of its storage; those in trouble first, and those with nothing to show folded away. */
import { useMemo } from 'preact/hooks';
import type { NodeRow } from '../../../src/console/model.ts';
import { isIdle } from '../../nodes/idle.ts';
import { addressIn, usePage } from '../../page.ts';
import { Empty } from '../../parts/empty.tsx';
import { severity } from '../../words/health.ts';
import { counted } from '../../words/numbers.ts';
import { NodeCard } from './node-card.tsx';

export function NodesView({ nodes }: { readonly nodes: ReadonlyMap<string, NodeRow> }) {
  const sorted = useMemo(
    () => [...nodes.values()].sort((a, b) => severity(a.health) - severity(b.health) || a.name.localeCompare(b.name)),
    [nodes],
  );
  return (
    <>
      <header class="view-head">
        <h1>Nodes</h1>
        <p class="quiet-text">{counted(sorted.length, 'node')}</p>
      </header>
      {sorted.length === 0 ? (
        <Empty icon="nodes" title="There are no nodes yet">
          <p>They are shown as soon as the cluster has one.</p>
        </Empty>
      ) : (
        <>
          <ul class="node-cards">
            {sorted
              .filter((node) => !isIdle(node))
              .map((node) => (
                <NodeCard key={node.name} node={node} />
              ))}
          </ul>
          <IdleNodes nodes={sorted.filter(isIdle)} />
        </>
      )}
    </>
  );
}

function IdleNodes({ nodes }: { readonly nodes: readonly NodeRow[] }) {
  const page = usePage();
  if (nodes.length === 0) return null;
  return (
    <details class="idle-nodes">
      <summary>{counted(nodes.length, 'node')} without a device or volume group of ours, and well</summary>
      <ul>
        {nodes.map(({ name, zone }) => (
          <li key={name}>
            <a href={addressIn(page, { view: 'node', name })}>{name}</a> {zone}
          </li>
        ))}
      </ul>
    </details>
  );
}
