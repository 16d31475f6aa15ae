/** A volume group as a bar: what is used by what, and what is free; below it, how full its thin pools are. */
import type { GroupRow, ThinPoolRow } from '../../../src/console/model.ts';
import { type Part, partsOf } from '../../nodes/group-layout.ts';
import { HealthMark } from '../../parts/health-mark.tsx';
import { bytes } from '../../words/bytes.ts';
import { clamp, counted, percent } from '../../words/numbers.ts';

export function GroupBar({ group }: { readonly group: GroupRow }) {
  const { name, sizeBytes, freeBytes, missingDisks, pools } = group;
  return (
    <div class="group">
      <p class="group-head">
        <b>{name}</b>
        <span class="quiet-text">
          {bytes(freeBytes)} free of {bytes(sizeBytes)}
        </span>
        {missingDisks > 0 && <HealthMark health="failed">{`${counted(missingDisks, 'disk')} missing`}</HealthMark>}
      </p>
      <div class="group-bar" aria-hidden="true">
        {partsOf(group).map((part) => (
          <PartBlock key={`${part.kind} ${part.name}`} part={part} />
        ))}
      </div>
      {pools.map((pool) => (
        <ThinPool key={pool.name} pool={pool} />
      ))}
    </div>
  );
}

function PartBlock({ part: { kind, name, bytes: size } }: { readonly part: Part }) {
  return (
    <span class={`part part-${kind}`} style={{ flexGrow: size }} title={`${name}: ${bytes(size)}`}>
      <span>{name}</span>
    </span>
  );
}

function ThinPool({ pool }: { readonly pool: ThinPoolRow }) {
  const { name, sizeBytes, promisedBytes, dataPercent, metadataPercent } = pool;
  const overcommit = promisedBytes > sizeBytes ? `, ${percent((promisedBytes / sizeBytes) * 100)} promised` : '';
  return (
    <div class="thin">
      <p>
        <b>{name}</b>{' '}
        <span class="quiet-text">
          thin pool, {bytes(sizeBytes)}
          {overcommit}
        </span>
      </p>
      <Fill name="data" value={dataPercent} />
      <Fill name="metadata" value={metadataPercent} />
    </div>
  );
}

/** LVM can grow a pool from 80 percent on, and one that is full takes no more writes. */
const fullness = (value: number): string => (value >= 95 ? 'failed' : value >= 80 ? 'attention' : 'well');

function Fill({ name, value }: { readonly name: string; readonly value: number | undefined }) {
  return (
    <div class="thin-fill">
      <span>{name}</span>
      <span class="fill-track" aria-hidden="true">
        {value !== undefined && (
          <span class={`fill-${fullness(value)}`} style={{ width: `${clamp(value, 0, 100)}%` }} />
        )}
      </span>
      <span>{value === undefined ? 'not told' : percent(value)}</span>
    </div>
  );
}
