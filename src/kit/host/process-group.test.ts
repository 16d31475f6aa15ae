import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { settled, VirtualClock } from '../clock/virtual.ts';
import { livingMembers } from './proc-process.ts';
import { endProcessGroup, KILL_GRACE_MS, KILL_POLL_MS } from './process-group.ts';

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

it.each([
  ['says so when something that it started hangs on', Number.POSITIVE_INFINITY, false],
  ['waits for all that it started', 3, true],
])('%s', async (_, looks, ended) => {
  const clock = new VirtualClock();
  const child = spawn('/bin/sh', ['-c', 'trap "" TERM; echo; while :; do sleep 1; done'], { detached: true });
  await once(child.stdout, 'data');
  const exited = once(child, 'exit');
  let left = looks;
  const answer = endProcessGroup(child.pid, exited, clock, () => (left-- > 0 ? [4711] : []));
  await clock.advance(KILL_GRACE_MS);
  await exited;
  await clock.advance(KILL_GRACE_MS - KILL_POLL_MS);
  await clock.advance(KILL_POLL_MS);
  expect(await answer).toBe(ended);
});

it('sees who is left of a group, and no one of another', async () => {
  const child = spawn('/bin/sh', ['-c', 'sleep 1000 & echo $!; wait'], { detached: true });
  const [line] = await once(child.stdout, 'data');
  const [leader, other] = [child.pid ?? 0, Number(line)];
  expect(livingMembers(leader)).toEqual([leader, other]);
  expect(livingMembers(other)).toEqual([]);
  process.kill(-leader, 'SIGKILL');
  await once(child, 'exit');
});
