/** The devices as the job finds them. */
import { parseConfig } from '../../../src/devices/config.ts';
import { discover } from '../../../src/devices/discovery.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { realHost } from '../../../src/kit/host/host.ts';
import type { Contend } from '../../measure/contender.ts';

export interface Discover {
  readonly directory: string;
  /** How many there are. */
  readonly count: number;
}

export const DISCOVER = 'discover';

const contend: Contend<Discover> = async ({ directory, count }, meter) => {
  const config = parseConfig({ deviceDir: directory, deviceNameFilter: '-ata-', volumeMode: 'Block' });
  if ('faults' in config) throw new Error(config.faults.join('; '));
  const host = realHost({ clock: systemClock });
  const found = await meter.measure(DISCOVER, () => discover(host, 'node', config, systemClock));
  if ('fault' in found) throw new Error(found.fault);
  const devices = found.devices.filter(({ device }) => 'facts' in device);
  if (devices.length !== count) throw new Error(`${devices.length} of ${count} devices were found`);
};

export default contend;
