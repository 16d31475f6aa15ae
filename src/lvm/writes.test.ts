import { expect, it } from 'vitest';
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import { SimulatedCluster, transportOf, VOLUMES } from '../api/simulated-cluster.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { SimulatedMachine } from '../kit/host/simulated/machine.ts';
import { KubeClient } from '../kit/kube/client.ts';
import type { Volume } from './volume.ts';
import { Writes } from './writes.ts';

const { signal } = new AbortController();

async function aVolume() {
  const clock = new VirtualClock();
  const cluster = new SimulatedCluster(clock);
  const host = new SimulatedMachine(clock).host();
  const writes = new Writes(new KubeClient({ transport: transportOf(host, cluster), clock, random: () => 0.5 }));
  const volume: PersistentVolume = { metadata: { name: 'data' }, spec: { local: { path: '/mnt/pv/data' } } };
  cluster.put(VOLUMES, volume);
  const now = async (): Promise<Volume> => {
    const found = await writes.find('data', signal);
    if (!found) throw new Error('it is there');
    return found;
  };
  const changed = async () => {
    cluster.change('data', (before) => ({ ...before, status: { phase: 'Available' } }));
    return await now();
  };
  return { writes, now, changed };
}

it('remembers the last write to a volume, and what it was made to', async () => {
  const { writes, now, changed } = await aVolume();
  const asked = await now();
  const basis = await changed();
  const written = await writes.hold(basis, { fsType: 'ext4' }, signal);
  const after = await changed();
  expect(writes.between(asked, written)).toEqual({ basis, written });
  expect(writes.between(basis, written)).toEqual({ basis, written });
  expect(writes.between(asked, after)).toEqual({ basis, written });
  expect(writes.between(asked, basis)).toBeUndefined();
  expect(writes.between(written, after)).toBeUndefined();
  expect(writes.between(asked, { ...written, uid: 'another' })).toBeUndefined();
  writes.forget('data');
  expect(writes.between(asked, written)).toBeUndefined();
});
