import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { devicesMetrics } from './metrics.ts';
import { Standings, type State } from './standings.ts';

const refused = {
  is: 'refused',
  fact: 'isMounted',
  why: 'is mounted',
  remedy: 'Unmount it',
  canBeApproved: false,
} as const;

async function counted(states: readonly State[]) {
  const registry = new Registry();
  const standings = new Standings();
  const metrics = devicesMetrics(registry, standings, 'n1');
  for (const [index, state] of states.entries()) standings.note({ volume: `v${index}`, path: `/dev/${index}`, state });
  const value = async (name: string, label = '') => {
    const text = await registry.getSingleMetricAsString(name);
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name}${label}`) && !line.startsWith('#'))
        ?.split(' ')
        .at(-1),
    );
  };
  return { value, metrics, standings };
}

describe('the gauges of the original', () => {
  it('count each device once: as available, or as an error', async () => {
    const { value } = await counted([
      { is: 'available' },
      { is: 'bound' },
      { is: 'wiping', doneBytes: 1, ofBytes: 4 },
      { is: 'failed', why: 'so' },
      refused,
    ]);
    expect(await value('local_pv_provisioner_available_devices', '{node="n1"}')).toBe(3);
    expect(await value('local_pv_provisioner_error_devices', '{node="n1"}')).toBe(2);
  });

  it('are there, at 0, when there is no device', async () => {
    const { value } = await counted([]);
    expect(await value('local_pv_provisioner_available_devices', '{node="n1"}')).toBe(0);
    expect(await value('local_pv_provisioner_error_devices', '{node="n1"}')).toBe(0);
  });
});

it('says how far a wipe is, and only as long as it goes on', async () => {
  const { value, standings } = await counted([{ is: 'wiping', doneBytes: 1, ofBytes: 4 }]);
  expect(await value('holdfast_devices_wipe_progress_ratio', '{volume="v0"}')).toBe(0.25);
  standings.note({ volume: 'v0', path: '/dev/0', state: { is: 'available' } });
  expect(await value('holdfast_devices_wipe_progress_ratio', '{volume="v0"}')).toBeNaN();
});

it('counts refusals by their fact, and keeps the series when they are over', async () => {
  const { value, standings } = await counted([refused]);
  expect(await value('holdfast_devices_refused', '{reason="isMounted"}')).toBe(1);
  standings.note({ volume: 'v0', path: '/dev/0', state: { is: 'available' } });
  expect(await value('holdfast_devices_refused', '{reason="isMounted"}')).toBe(0);
  expect(await value('holdfast_devices', '{state="available"}')).toBe(1);
});

it('says whether there is a configuration, and what is wrong with it', async () => {
  const { value, metrics } = await counted([]);
  metrics.configured(false, 2);
  expect([await value('holdfast_devices_configured'), await value('holdfast_devices_configuration_faults')]).toEqual([
    0, 2,
  ]);
  metrics.configured(true, 0);
  expect([await value('holdfast_devices_configured'), await value('holdfast_devices_configuration_faults')]).toEqual([
    1, 0,
  ]);
});
