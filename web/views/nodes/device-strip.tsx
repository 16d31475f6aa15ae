/** The devices of a node as blocks: each as its state is, and the wider the larger it is. */
import type { DeviceRow } from '../../../src/console/model.ts';
import { roomOf } from '../../nodes/strip-layout.ts';
import { HealthShape } from '../../parts/health-mark.tsx';
import { bytes } from '../../words/bytes.ts';
import { percent } from '../../words/numbers.ts';
import { DEVICE_HEALTH, DEVICE_WORDS } from './device-state.ts';
import { PartitionBar } from './partition-bar.tsx';

/** Of the smallest: one that stands alone in a line must not look larger than those above it. */
const WIDEST_REM = 8;

export function DeviceStrip({ devices }: { readonly devices: readonly DeviceRow[] }) {
  const rooms = roomOf(devices);
  return (
    <ul class="device-strip">
      {devices.map((device, index) => (
        <li
          key={device.path}
          class={`device-block device-${device.state}`}
          style={{ flexGrow: rooms[index], maxWidth: `${WIDEST_REM * (rooms[index] ?? 1)}rem` }}
          title={device.stands}
        >
          {device.progress !== undefined && (
            <span class="device-fill" style={{ width: `${device.progress * 100}%` }} aria-hidden="true" />
          )}
          <span class="device-path">{device.path.replace(/^.*\//, '')}</span>
          <span class="device-word">
            <HealthShape health={DEVICE_HEALTH[device.state]} />
            {DEVICE_WORDS[device.state]}
            {device.progress !== undefined && ` ${percent(device.progress * 100)}`}
          </span>
          {device.sizeBytes !== undefined && <span class="device-size">{bytes(device.sizeBytes)}</span>}
          <PartitionBar device={device} />
        </li>
      ))}
    </ul>
  );
}
