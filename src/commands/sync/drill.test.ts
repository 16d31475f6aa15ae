import { expect, test } from 'vitest';
import { PERSISTENT_VOLUMES } from '../../api/persistent-volumes.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import type { Resource } from '../../kit/kube/resource.ts';
import { DRILL_LABEL, RUNNING_DRILL_ANNOTATION } from '../../sync/contract.ts';
import { aVolume, RecoveryWorld, SYNC } from '../../sync/recover/builders.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { clean, leftoversInWords } from './drill.ts';

const { signal } = new AbortController();

/** With a copy of each of these drills, and one that is held if that is said. */
function aWorld(drills: readonly string[], held?: string): RecoveryWorld {
  const world = new RecoveryWorld();
  for (const id of drills) world.has(aVolume(`drill-${id}-a`, {}, { labels: { [DRILL_LABEL]: id } }));
  const until = new Date(systemClock.now().getTime() + 60_000).toISOString();
  const annotations = held === undefined ? {} : { [RUNNING_DRILL_ANNOTATION]: `${held} ${until}` };
  world.cluster.put('persistentvolumesyncs', { metadata: { name: SYNC, annotations } });
  return world;
}

const deleted = (world: RecoveryWorld) => world.writes.filter((each) => each.startsWith('DELETE'));
const cleanIn = (world: RecoveryWorld, terminal = aTerminal(), yes = false) =>
  clean({ client: world.client(), signal }, { yes }, terminal);

test('cleaning up shows what goes and asks, and without an answer nothing goes', async () => {
  const world = aWorld(['x1']);
  const terminal = aTerminal({}, 'no\n');
  await expect(cleanIn(world, terminal)).rejects.toThrow('nothing was removed');
  expect(terminal.written.out).toBe('PersistentVolume drill-x1-a of drill x1\n');
  await expect(cleanIn(world)).rejects.toThrow('add --yes if you are sure');
  expect(deleted(world)).toEqual([]);
});

test('cleaning up removes it when a person has agreed, or a script', async () => {
  const world = aWorld(['x1']);
  await cleanIn(world, aTerminal({}, 'clean\n'));
  expect(deleted(world)).toEqual(['DELETE /api/v1/persistentvolumes/drill-x1-a']);
  const other = aWorld(['x1', 'x2']);
  const terminal = aTerminal();
  await cleanIn(other, terminal, true);
  expect(deleted(other)).toHaveLength(2);
  expect(terminal.written.out).toContain('2 copies of drills were removed');
});

test('cleaning up leaves the copies of a drill that is held', async () => {
  const world = aWorld(['x1', 'x2'], 'x2');
  const terminal = aTerminal();
  await cleanIn(world, terminal, true);
  expect(deleted(world)).toEqual(['DELETE /api/v1/persistentvolumes/drill-x1-a']);
  expect(terminal.written.out).toContain('drill x2 is being held, and its copies stay');
});

test('cleaning up where there is nothing asks nobody', async () => {
  const terminal = aTerminal();
  await cleanIn(aWorld([]), terminal);
  expect(terminal.written.out).toBe('there are no copies to remove\n');
});

test('of very many copies some are shown, and the others counted', () => {
  const resource: Resource = PERSISTENT_VOLUMES;
  const left = Array.from({ length: 60 }, (_, index) => ({ resource, key: `drill-x-${index}`, uid: '', drill: 'x' }));
  expect(leftoversInWords(left).split('\n')).toHaveLength(52);
  expect(leftoversInWords(left)).toContain('and 10 more\n');
});
