import { expect, it } from 'vitest';
import { settled, VirtualClock } from '../clock/virtual.ts';
import { endProcessGroup, KILL_GRACE_MS } from './process-group.ts';

it('gives up on a process that not even SIGKILL ends, and says so', async () => {
  const clock = new VirtualClock();
  const answer = endProcessGroup(undefined, new Promise(() => {}), clock);
  await settled();
  await clock.advance(KILL_GRACE_MS);
  expect(await answer).toBe(false);
});

it('sees that a process ended by itself just before', async () => {
  expect(await endProcessGroup(undefined, Promise.resolve(), new VirtualClock())).toBe(true);
});
