/** Storage pools: one below the other, or the one that was asked for. */
import { useMemo } from 'preact/hooks';
import type { PoolRow } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { severity } from '../../words/health.ts';
import { counted } from '../../words/numbers.ts';
import { PoolCard } from './pool-card.tsx';

interface PoolsViewProps {
  readonly pools: ReadonlyMap<string, PoolRow>;
  readonly only?: string;
}

export function PoolsView({ pools, only }: PoolsViewProps) {
  const page = usePage();
  const shown = useMemo(
    () =>
      [...pools.values()]
        .filter(({ name }) => only === undefined || name === only)
        .sort((a, b) => severity(a.health) - severity(b.health) || a.name.localeCompare(b.name)),
    [pools, only],
  );
  return (
    <>
      {only !== undefined && (
        <a class="back" href={addressIn(page, { view: 'pools' })}>
          <Icon name="back" /> Pools
        </a>
      )}
      <header class="view-head">
        <h1 class={only === undefined ? '' : 'name'}>{only ?? 'Pools'}</h1>
        {only === undefined && <p class="quiet-text">{counted(shown.length, 'pool')}</p>}
      </header>
      {shown.length === 0 && <NoPool only={only} />}
      {shown.map((pool) => (
        <PoolCard key={pool.name} pool={pool} />
      ))}
    </>
  );
}

function NoPool({ only }: { readonly only: string | undefined }) {
  if (only !== undefined) return <Empty icon="pools" title="There is no such pool, or no longer" />;
  return (
    <Empty icon="pools" title="There is no storage pool here">
      <p>One is shown as soon as the cluster has a PvPool.</p>
    </Empty>
  );
}
