import { expect, it } from 'vitest';
import type { Secret } from '../api/secrets.ts';
import { VirtualClock } from '../kit/clock/virtual.ts';
import { RecordingLog } from '../kit/observe/recording-log.ts';
import { KeyRing } from './key-ring.ts';

const KEY = { namespace: 'storage', name: 'key' };
const DATA = { name: 'data', uid: 'uid-1' };
const LOGS = { name: 'logs', uid: 'uid-2' };
const OTHER = { namespace: 'storage', name: 'other' };

function aRing() {
  const clock = new VirtualClock();
  const [versions, volumes] = [new Map([['key', '1']]), new Set(['data', 'logs'])];
  const asked: string[] = [];
  const find = async (_: unknown, { name }: { readonly name: string }) => {
    asked.push(name);
    if (name === 'other') throw new Error('forbidden');
    const resourceVersion = versions.get(name);
    return resourceVersion === undefined ? undefined : ({ metadata: { name, resourceVersion } } as Secret);
  };
  const client = { find } as unknown as ConstructorParameters<typeof KeyRing>[0]['client'];
  const ring = new KeyRing({ client, clock, log: new RecordingLog(), exists: (name) => volumes.has(name) });
  const added: string[] = [];
  ring.changes((name) => added.push(name));
  const stop = new AbortController();
  const ended = ring.run(stop.signal);
  const aMinuteLater = () => clock.advance(60_000);
  const stopped = async () => {
    stop.abort();
    await ended;
  };
  return { ring, versions, volumes, asked, added, aMinuteLater, stopped };
}

it('brings back the volumes whose Secret has changed, or is gone, and no others', async () => {
  const { ring, versions, added, asked, aMinuteLater, stopped } = aRing();
  ring.note(DATA, KEY, '1');
  ring.note(LOGS, KEY, '1');
  await aMinuteLater();
  expect([added, asked]).toEqual([[], ['key']]);
  versions.set('key', '2');
  await aMinuteLater();
  expect(added).toEqual(['data', 'logs']);
  ring.note(DATA, KEY, '2');
  ring.note(LOGS, KEY, '2');
  expect(ring.versionOf(DATA)).toBe('2');
  expect(ring.versionOf({ ...DATA, uid: 'uid-9' })).toBeUndefined();
  versions.delete('key');
  await aMinuteLater();
  expect(added).toEqual(['data', 'logs', 'data', 'logs']);
  await stopped();
});

it('goes on when a Secret cannot be read, and forgets volumes that are gone', async () => {
  const { ring, versions, volumes, added, asked, aMinuteLater, stopped } = aRing();
  ring.note(LOGS, OTHER, '1');
  ring.note(DATA, KEY, '1');
  versions.set('key', '2');
  await aMinuteLater();
  expect(added).toEqual(['data']);
  volumes.clear();
  asked.length = 0;
  await aMinuteLater();
  expect([asked, ring.versionOf(DATA)]).toEqual([[], undefined]);
  await stopped();
});
