import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../kit/kube/api-error.ts';
import { ConnectionError } from '../kit/kube/transport.ts';
import type { OptionKey } from './contract.ts';
import { pathOf, SimulatedNode } from './simulated-node.ts';

const NAMES = ['a', 'b', 'c'] as const;
type Name = (typeof NAMES)[number];
/** One event can bring so much, for all volumes together. */
const MOST_WRITES_PER_EVENT = 40;
const MOST_COMMANDS_PER_EVENT = 400;
/** Of volumes that are refused or fail, in ten minutes: they are looked at twice a minute, and each is tried a few times. */
const MOST_COMMANDS_AT_REST = 60;
const TEN_MINUTES = 600_000;

const OPTIONS: readonly Partial<Record<OptionKey, string>>[] = [
  {},
  { fsType: 'xfs' },
  { fsType: 'btrfs' },
  { thinPool: 'pool', thinPoolSize: '64Mi' },
  { cryptSecret: 'key' },
  { removePolicy: 'trash' },
];
const EDITS: readonly Partial<Record<OptionKey, string>>[] = [
  { mountOpts: 'noexec,nodev' },
  { fsType: 'ext3' },
  { vg: 'another' },
  { vg: 'storage_bulk' },
  { thinPool: 'pool' },
  { cryptSecret: 'none' },
  { fsOpts: '-d /etc' },
  { removePolicy: 'trash' },
  { removePolicy: 'delete' },
];

/** What happens, in words, and how. */
type Event = readonly [what: string, happens: (node: SimulatedNode) => void | Promise<void>] & {
  readonly [fc.toStringMethod]?: () => string;
};

const inWords = ([what, happens]: Event): Event =>
  Object.assign([what, happens] as const, { [fc.toStringMethod]: () => what });

const name = fc.constantFrom(...NAMES);
const size = fc.integer({ min: 5, max: 14 }).map(BigInt);

const of = (what: string, happens: (node: SimulatedNode, name: Name) => void | Promise<void>): fc.Arbitrary<Event> =>
  name.map((each) => [`${what} ${each}`, (node) => happens(node, each)]);

/** What a person does on the node is not done in the middle of what the agent does: he waits, or has ended it. */
const byHand = (what: string, happens: (node: SimulatedNode, name: Name) => void): fc.Arbitrary<Event> =>
  fc.tuple(name, fc.boolean()).map(([each, isWithoutAgent]) => [
    `${what} ${each}${isWithoutAgent ? ' without the agent' : ''}`,
    async (node) => {
      if (isWithoutAgent) node.kill({ withPrograms: true });
      else await node.rest();
      happens(node, each);
    },
  ]);

const declare = fc.tuple(name, size, fc.constantFrom(...OPTIONS)).map(
  ([each, extents, options]): Event => [
    `declare ${each} with ${extents} extents and ${JSON.stringify(options)}`,
    (node) => {
      if (!node.cluster.volume(each)) node.declare(each, { size: extents, options });
    },
  ],
);

/** What happens most of the time. */
const ordinary: readonly fc.Arbitrary<Event>[] = [
  declare,
  declare,
  fc.tuple(name, size).map(
    ([each, extents]): Event => [
      `want ${extents} extents for ${each}`,
      (node) => {
        if (node.cluster.volume(each)) node.grow(each, extents);
      },
    ],
  ),
  of('write to', (node, each) => node.write(each)),
  of('delete', (node, each) => node.delete(each)),
];

const strange: readonly fc.Arbitrary<Event>[] = [
  fc.tuple(name, fc.constantFrom(...EDITS)).map(
    ([each, options]): Event => [
      `edit ${each}: ${JSON.stringify(options)}`,
      (node) => {
        if (node.cluster.volume(each)) node.annotate(each, options);
      },
    ],
  ),
  of('delete by force', (node, each) => node.vanish(each)),
  of('hold', ({ fileSystems }, each) => void fileSystems.held.add(pathOf(each))),
  of('let go of', ({ fileSystems }, each) => void fileSystems.held.delete(pathOf(each))),
  byHand('make a foreign volume', (node, each) => node.makeForeign(each)),
  byHand('unmount', (node, each) => {
    if (!node.fileSystems.held.has(pathOf(each))) node.fileSystems.unmount(pathOf(each));
  }),
  byHand('mount something else over', ({ fileSystems, machine }, each) => {
    machine.tree.mkdir(pathOf(each));
    fileSystems.mountForeign(pathOf(each));
  }),
  byHand('rename', (node, each) => node.renameByHand(each, `${each}-renamed`)),
  byHand('rename back', (node, each) => node.renameByHand(`${each}-renamed`, each)),
  byHand('remove by hand', (node, each) => node.removeByHand(each)),
  fc.constantFrom<Event>(['fill the group', (node) => node.fill()], ['make room again', (node) => node.makeRoom()]),
];

const ofTheAgent: readonly fc.Arbitrary<Event>[] = [
  fc.constant<Event>(['rest', rested]),
  fc.constant<Event>(['rest', rested]),
  fc.integer({ min: 10, max: 20_000 }).map((ms): Event => [`work for ${ms} ms`, (node) => worked(node, ms)]),
  fc
    .boolean()
    .map((withPrograms): Event => [`kill ${withPrograms ? 'all' : ''}`, (node) => node.kill({ withPrograms })]),
  fc.constant<Event>(['reboot', (node) => node.reboot()]),
  fc.tuple(fc.integer({ min: 1, max: 150 }), fc.constantFrom('crash-before' as const, 'crash-after' as const)).map(
    ([call, kind]): Event => [
      `${kind} call ${call}`,
      async (node) => {
        node.machine.faults.at(node.machine.faults.calls + call, { kind });
        await worked(node, 30_000);
      },
    ],
  ),
  fc.tuple(fc.integer({ min: 1, max: 6 }), fc.boolean()).map(
    ([times, isConflict]): Event => [
      isConflict ? `${times} conflicts` : `lose ${times} replies`,
      async (node) => {
        const lost = new ConnectionError('the connection broke', { mayHaveHappened: true });
        const conflict = new ApiError({ request: 'a call', status: 409, reason: 'Conflict', detail: 'changed' });
        node.machine.faults.when(
          ({ target, changes }) => target === 'api' && (changes || !isConflict),
          isConflict ? { kind: 'fail', error: conflict } : { kind: 'fail-after', error: lost },
          times,
        );
        await worked(node, 30_000);
      },
    ],
  ),
];

async function rested(node: SimulatedNode): Promise<void> {
  expect(await node.rest(), 'it comes to rest').toBe(true);
}

async function worked(node: SimulatedNode, ms: number): Promise<void> {
  node.start();
  await node.pass(ms);
}

const history = fc.array(
  fc.oneof(fc.oneof(...ordinary), fc.oneof(...ordinary), fc.oneof(...strange), fc.oneof(...ofTheAgent)).map(inWords),
  { minLength: 20, maxLength: 60, size: 'max' },
);

/** Ready as it is asked for, or a person is told why not. */
function expectToStand(node: SimulatedNode): void {
  for (const { metadata } of node.cluster.volumes) {
    const each = metadata.name ?? '';
    if (node.says(each, 'message') !== undefined) continue;
    expect(node.says(each, 'status'), each).toBe('Processed');
    expect(node.contentOf(each)?.isWhole, `${each} is mounted`).toBe(true);
  }
}

describe('whatever happens to volumes, people and processes', () => {
  it('nobody loses data, nothing of others is touched, nothing leaks, and everything comes to rest', {
    timeout: 180_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(history, async (events) => {
        const node = new SimulatedNode({ extents: 48n });
        for (const [what, happens] of events) {
          const [writes, calls] = [node.apiWrites.length, node.machine.calls.length];
          await happens(node);
          node.machine.faults.clear();
          expect(node.violations, what).toEqual([]);
          expect(node.apiWrites.length - writes, what).toBeLessThanOrEqual(MOST_WRITES_PER_EVENT);
          expect(node.commandsSince(calls).length, what).toBeLessThanOrEqual(MOST_COMMANDS_PER_EVENT);
        }
        node.fileSystems.held.clear();
        await rested(node);
        await node.pass(TEN_MINUTES);
        expectToStand(node);
        const [writes, calls] = [node.apiWrites.length, node.machine.calls.length];
        await node.pass(TEN_MINUTES);
        expect(node.apiWrites).toHaveLength(writes);
        expect(node.commandsSince(calls).length).toBeLessThanOrEqual(MOST_COMMANDS_AT_REST);
        expect([...node.violations, ...node.leaks]).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
