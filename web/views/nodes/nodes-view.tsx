/** All nodes, each with a picture of its storage; those in trouble first. */
import { useMemo } from 'preact/hooks';
import type { NodeRow } from '../../../src/console/model.ts';
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
        <Empty icon="nodes" title="There are no nodes yet" />
      ) : (
        <ul class="node-cards">
          {sorted.map((node) => (
            <NodeCard key={node.name} node={node} />
          ))}
        </ul>
      )}
    </>
  );
}
