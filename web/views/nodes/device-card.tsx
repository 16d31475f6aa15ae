/** A device in words: what it is, how it stands, and where something is wrong, why and what to do. */
import type { DeviceRow } from '../../../src/console/model.ts';
import { partitionsInWords } from '../../nodes/partition-layout.ts';
import { addressIn, usePage } from '../../page.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';
import { memo } from '../../parts/memo.ts';
import { Progress } from '../../parts/progress.tsx';
import { bytes } from '../../words/bytes.ts';
import { DEVICE_HEALTH, DEVICE_WORDS } from './device-state.ts';
import { PartitionBar } from './partition-bar.tsx';

export const DeviceCard = memo(({ device }: { readonly device: DeviceRow }) => {
  const page = usePage();
  const { path, volume, claim, sizeBytes, identity, state, stands, holds, progress, why, remedy, approve } = device;
  const partitions = partitionsInWords(device);
  return (
    <li class={`card device-card device-card-${state}`}>
      <header>
        <HealthMark health={DEVICE_HEALTH[state]}>{DEVICE_WORDS[state]}</HealthMark>
        <h3>{path}</h3>
        {sizeBytes !== undefined && <span class="quiet-text">{bytes(sizeBytes)}</span>}
      </header>
      <p>{stands}</p>
      <PartitionBar device={device} isInWords />
      {progress !== undefined && <Progress label={`Wiping ${path}`} value={progress} />}
      {why !== undefined && <p class="why">{why}</p>}
      {remedy !== undefined && <p class="need-remedy">{remedy}</p>}
      <dl class="facts inline">
        <div>
          <dt>Volume</dt>
          <dd>
            <a href={addressIn(page, { view: 'volume', name: volume })}>{volume}</a>
          </dd>
        </div>
        {claim !== undefined && <Line name="Claim" value={claim} />}
        <Line name="Identity" value={identity} />
        {holds !== undefined && <Line name="Holds" value={holds} />}
        {partitions !== undefined && <Line name="Has" value={partitions} />}
      </dl>
      <ActionButton action={approve} />
    </li>
  );
});

function Line({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
