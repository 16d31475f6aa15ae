/** What is held in another place: one sync below the other, or the one that was asked for. */
import { useMemo } from 'preact/hooks';
import type { SyncRow } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { counted } from '../../words/numbers.ts';
import { SyncCard } from './sync-card.tsx';

interface SyncsViewProps {
  readonly syncs: ReadonlyMap<string, SyncRow>;
  readonly only?: string;
}

export function SyncsView({ syncs, only }: SyncsViewProps) {
  const page = usePage();
  const shown = useMemo(
    () =>
      [...syncs.values()]
        .filter(({ name }) => only === undefined || name === only)
        .sort((a, b) => a.name.localeCompare(b.name)),
    [syncs, only],
  );
  return (
    <>
      {only !== undefined && (
        <a class="back" href={addressIn(page, { view: 'syncs' })}>
          <Icon name="back" /> Sync
        </a>
      )}
      <header class="view-head">
        <h1 class={only === undefined ? '' : 'name'}>{only ?? 'Sync'}</h1>
        {only === undefined && <p class="quiet-text">{counted(shown.length, 'sync')}</p>}
      </header>
      {shown.length === 0 && <NoSync only={only} />}
      {shown.map((sync) => (
        <SyncCard key={`${page.cluster} ${sync.name}`} sync={sync} />
      ))}
    </>
  );
}

function NoSync({ only }: { readonly only: string | undefined }) {
  if (only !== undefined) return <Empty icon="sync" title="There is no such sync, or no longer" />;
  return (
    <Empty icon="sync" title="Nothing is held in another place">
      <p>A PersistentVolumeSync exports volumes and claims, so that another cluster can have them.</p>
    </Empty>
  );
}
