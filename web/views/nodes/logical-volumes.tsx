/** The logical volumes of a group. */
import type { LogicalVolumeRow } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { HealthMark } from '../../parts/health-mark.tsx';
import { bytes } from '../../words/bytes.ts';
import { LV_HEALTH } from './device-state.ts';

export function LogicalVolumes({ volumes }: { readonly volumes: readonly LogicalVolumeRow[] }) {
  const page = usePage();
  if (volumes.length === 0) return <p class="quiet-text">No logical volume of ours.</p>;
  return (
    <ul class="logical-volumes">
      {volumes.map(({ volume, sizeBytes, claim, path, state, stands }) => (
        <li key={volume}>
          <HealthMark health={LV_HEALTH[state]}>{stands}</HealthMark>
          <a href={addressIn(page, { view: 'volume', name: volume })}>{volume}</a>
          <span class="quiet-text">{[claim, path].filter(Boolean).join(' · ')}</span>
          <span>{sizeBytes === undefined ? '' : bytes(sizeBytes)}</span>
        </li>
      ))}
    </ul>
  );
}
