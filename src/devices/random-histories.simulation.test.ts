import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SimulatedDisk } from '../kit/host/simulated/disk.ts';
import { ConnectionError } from '../kit/kube/transport.ts';
import { DEVICE_ANNOTATION, WIPE_METHODS } from './contract.ts';
import type { RefusalFact } from './refusals.ts';
import type { SimulatedAgent } from './simulated-agent.ts';
import { DEVICE_DIR, SimulatedNode, volumeAt } from './simulated-node.ts';

const LINKS = ['a', 'b', 'c'] as const;
/** One event can bring so many writes to the API, for all disks together. */
const MOST_WRITES_PER_EVENT = 20;

/** A node with two disks that have names and one that has none, and what the world does to it. */
class World {
  readonly node = new SimulatedNode();
  readonly #disks: readonly SimulatedDisk[];
  #agent: SimulatedAgent | undefined;

  constructor() {
    this.#disks = LINKS.map((link, index) => this.node.addDisk(link, index === 2 ? { wwid: '' } : {}));
  }

  async agent(): Promise<SimulatedAgent> {
    if (!this.#agent?.isAlive) this.#agent = await this.node.start();
    return this.#agent;
  }

  async work(rounds: number): Promise<void> {
    await (await this.agent()).settle(rounds);
  }

  kill(): void {
    this.#agent?.kill();
  }

  disk(index: number): SimulatedDisk {
    return this.#disks[index] ?? never();
  }

  /** The one whose path leads to the disk that it was made of. */
  usable(index: number): string | undefined {
    const link = LINKS[index] ?? never();
    const disk = this.node.diskOf(volumeAt(link));
    return disk?.attached && this.node.linksTo(disk).includes(link) ? volumeAt(link) : undefined;
  }

  /** Only where the ledger comes to know of it: nobody else could. */
  async bindRaw(index: number): Promise<void> {
    const volume = this.usable(index);
    if (!volume || !this.node.diskOf(volume)?.described.wwid) return;
    if (!this.node.bind(volume, { isRaw: true })) return;
    await this.work(30);
    const uid = this.node.cluster.volume(volume)?.metadata.uid;
    const entry = [...this.node.ledger.devices.values()].find((one) => one.volume?.uid === uid);
    expect(entry?.volume?.phase).toBe('Bound');
  }

  /** Of a disk that somebody has to say a word about; it is withdrawn if nobody made use of it. */
  async approve(index: number): Promise<void> {
    const state = (await this.agent()).standings.get(volumeAt(LINKS[index] ?? never()))?.state;
    const disk = this.disk(index);
    if (state?.is !== 'refused' || !state.canBeApproved || !this.node.linksTo(disk).includes(LINKS[index] ?? ''))
      return;
    this.node.approve(disk, [state.fact as RefusalFact], `${DEVICE_DIR}/${LINKS[index]}`);
    await this.work(3);
    this.node.annotate({});
  }
}

/** What happens, in words, and how. */
type Event = readonly [what: string, happens: (world: World) => void | Promise<void>] & {
  readonly [fc.toStringMethod]?: () => string;
};

const inWords = ([what, happens]: Event): Event =>
  Object.assign([what, happens] as const, { [fc.toStringMethod]: () => what });

const at = (build: (index: number) => Event): fc.Arbitrary<Event> => fc.nat(LINKS.length - 1).map(build);

const ofVolume = (what: string, happens: (world: World, volume: string) => void) =>
  at((index) => [
    `${what} ${volumeAt(LINKS[index] ?? '')}`,
    (world) => {
      const volume = volumeAt(LINKS[index] ?? never());
      if (world.node.cluster.volume(volume)) happens(world, volume);
    },
  ]);

const worldEvents: readonly fc.Arbitrary<Event>[] = [
  at((index) => [
    `bind ${LINKS[index]}`,
    (world) => {
      const volume = world.usable(index);
      if (volume) world.node.bind(volume);
    },
  ]),
  ofVolume('release', ({ node }, volume) => node.release(volume)),
  ofVolume('release', ({ node }, volume) => node.release(volume)),
  ofVolume('unbind', ({ node }, volume) => {
    if (node.phaseOf(volume) === 'Released') node.cluster.unbind(volume);
  }),
  ofVolume('delete by force', ({ node }, volume) => node.cluster.vanish(volume)),
  ofVolume('delete', ({ node }, volume) => void node.cluster.remove(volume)),
  ofVolume('forget the device of', ({ node }, volume) =>
    node.cluster.change(volume, ({ metadata, ...rest }) => {
      const { [DEVICE_ANNOTATION]: _, ...annotations } = metadata.annotations ?? {};
      return { ...rest, metadata: { ...metadata, annotations } };
    }),
  ),
  at((index) => [`unplug ${index}`, (world) => world.node.unplug(world.disk(index))]),
  fc.tuple(fc.nat(2), fc.constantFrom(...LINKS)).map(
    ([index, link]): Event => [
      `plug ${index} in at ${link}`,
      (world) => {
        const disk = world.disk(index);
        if (!disk.attached) world.node.plugIn(disk, link);
      },
    ],
  ),
  fc.tuple(fc.nat(2), fc.constantFrom(...LINKS)).map(
    ([index, link]): Event => [
      `let ${link} lead to ${index}`,
      (world) => {
        if (world.disk(index).attached) world.node.link(link, world.disk(index));
      },
    ],
  ),
  at((index) => [`mount ${index}`, (world) => world.node.mount(world.disk(index))]),
  at((index) => [`unmount ${index}`, (world) => world.node.unmount(world.disk(index))]),
  at((index) => [`approve ${index}`, (world) => world.approve(index)]),
  fc
    .constantFrom(...WIPE_METHODS.filter((method) => method !== 'discard'))
    .map((wipeMethod): Event => [`wipe by ${wipeMethod}`, (world) => world.node.configure({ wipeMethod })]),
  fc.constantFrom<Event>(
    ['take only a', (world) => world.node.configure({ deviceNameFilter: '^a' })],
    ['want another class', (world) => world.node.configure({ storageClassName: 'other' })],
    ['be misconfigured', (world) => world.node.configure({ deviceDir: 'nowhere' })],
  ),
];

const agentEvents: readonly fc.Arbitrary<Event>[] = [
  /** What is on it can be recognised by nobody: only the ledger knows whose it is. */
  fc.nat(1).map((index): Event => [`bind ${LINKS[index]} raw, and see it`, (world) => world.bindRaw(index)]),
  fc.constant<Event>(['settle', (world) => world.work(30)]),
  fc.constant<Event>(['settle', (world) => world.work(30)]),
  fc.integer({ min: 1, max: 3 }).map((rounds): Event => [`work for ${rounds}`, (world) => world.work(rounds)]),
  fc.constant<Event>(['kill', (world) => world.kill()]),
  fc.constant<Event>(['reboot', (world) => world.node.reboot()]),
  fc.tuple(fc.integer({ min: 1, max: 120 }), fc.constantFrom('crash-before' as const, 'crash-after' as const)).map(
    ([call, kind]): Event => [
      `${kind} call ${call}`,
      async (world) => {
        world.node.machine.faults.at(world.node.machine.faults.calls + call, { kind });
        await world.work(4);
      },
    ],
  ),
  fc.integer({ min: 1, max: 6 }).map(
    (times): Event => [
      `lose ${times} replies`,
      async (world) => {
        const error = new ConnectionError('the connection broke', { mayHaveHappened: true });
        world.node.machine.faults.when(({ target }) => target === 'api', { kind: 'fail-after', error }, times);
        await world.work(4);
      },
    ],
  ),
  fc.integer({ min: 1, max: 120 }).map(
    (call): Event => [
      `be slow at call ${call}`,
      async (world) => {
        world.node.machine.faults.at(world.node.machine.faults.calls + call, { kind: 'delay', ms: 60_000 });
        await world.work(4);
      },
    ],
  ),
];

/** In the middle of what the agent does, before one of its calls. */
const meanwhile = fc.tuple(fc.integer({ min: 1, max: 120 }), fc.oneof(...worldEvents)).map(
  ([call, [what, happens]]): Event => [
    `before call ${call}: ${what}`,
    async (world) => {
      await world.agent();
      world.node.before(call, () => void happens(world));
      await world.work(4);
    },
  ],
);

const history = fc.array(fc.oneof(fc.oneof(...worldEvents), fc.oneof(...agentEvents), meanwhile).map(inWords), {
  minLength: 5,
  maxLength: 30,
});

describe('whatever happens to disks, volumes and processes', () => {
  it('nobody loses data, nobody gets that of another, and the ledger stays readable', {
    timeout: 180_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(history, async (events) => {
        const world = new World();
        await world.work(30);
        for (const [what, happens] of events) {
          const before = world.node.apiWrites.length;
          await happens(world);
          world.node.machine.faults.clear();
          expect(world.node.violations, what).toEqual([]);
          expect(world.node.apiWrites.length - before, what).toBeLessThanOrEqual(MOST_WRITES_PER_EVENT);
        }
        await world.work(30);
        expect(world.node.violations).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

function never(): never {
  throw new Error('there is none');
}
