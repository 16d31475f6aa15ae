import { expect, test } from 'vitest';
import { VirtualClock } from '../kit/clock/virtual.ts';
import type { Host } from '../kit/host/host.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { RealMachine } from './real-machine.ts';

test('a look that shows nothing is told with its reason, and fails for all who wait for it', async () => {
  const why: string[] = [];
  const clock = new VirtualClock();
  const machine = new RealMachine({
    host: {
      exec: () => Promise.reject(new Error('lvm has not answered for 60 s')),
      tables: { mounts: async () => [] },
      files: { list: async () => [] },
    } as unknown as Host,
    viewpoint: { root: '' },
    clock,
    log: new RecordingLog(),
    client: {} as KubeClient,
    cluster: 'cluster-1',
    saw: () => why.push('seen'),
    couldNotLook: (each) => why.push(each),
  });
  using _one = machine.join();
  using _other = machine.join();
  const looks = Promise.allSettled([machine.look(), machine.look()]);
  await clock.advance(10_000);
  expect((await looks).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(why).toEqual(['lvm has not answered for 60 s']);
});
