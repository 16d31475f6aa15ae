/** The agent is killed before and after every call while it makes a snapshot, or takes over what is there already. */
import { describe, expect, it } from 'vitest';
import { FINALIZER, type OptionKey, PREFIX, PROCESSED } from './contract.ts';
import { pathOf, SimulatedNode } from './simulated-node.ts';

const PATIENCE = { timeout: 180_000 };
const KINDS = ['crash-before', 'crash-after'] as const;
const [VOLUME, SNAPSHOT] = ['data', 'data-monday'];

interface Way {
  readonly kind: string;
  readonly prepare: () => Promise<SimulatedNode>;
  readonly ask: (node: SimulatedNode) => void;
  readonly made: string;
  /** What is not allowed but here. */
  readonly marked?: readonly string[];
}

async function written(options: Partial<Record<OptionKey, string>>): Promise<SimulatedNode> {
  const node = new SimulatedNode();
  node.declare(VOLUME, { options });
  await node.rest();
  node.write(VOLUME);
  return node;
}

const aSnapshot = (kind: string, options: Partial<Record<OptionKey, string>>): Way => ({
  kind: `a snapshot of ${kind}`,
  prepare: () => written(options),
  ask: (node) => node.declare(SNAPSHOT, { size: 4n, options: { snapshotOf: VOLUME } }),
  made: SNAPSHOT,
});

/** What the original leaves: no mark, no finalizer, and a volume that says that it was processed. */
async function madeByTheOriginal(): Promise<SimulatedNode> {
  const node = await written({});
  node.kill();
  node.lv(VOLUME)?.tags.clear();
  node.cluster.change(VOLUME, ({ metadata, ...rest }) => ({
    ...rest,
    metadata: {
      ...metadata,
      finalizers: (metadata.finalizers ?? []).filter((each) => each !== FINALIZER),
      annotations: { [`${PREFIX}status`]: PROCESSED },
    },
  }));
  return node;
}

const SNAPSHOTS: readonly Way[] = [
  aSnapshot('a plain volume', {}),
  aSnapshot('a thin volume', { thinPool: 'pool', thinPoolSize: '80Mi' }),
];
const WAYS: readonly Way[] = [
  ...SNAPSHOTS,
  {
    kind: 'a volume of the original',
    prepare: madeByTheOriginal,
    ask: () => {},
    made: VOLUME,
    marked: ['data suffers tag, and it is not ours'],
  },
];

describe.each(WAYS)('$kind', PATIENCE, ({ prepare, ask, made, marked = [] }) => {
  it.each(KINDS)('is ready with all that was written, whatever call ends with a %s', async (kind) => {
    for (let call = 1; ; call++) {
      const node = await prepare();
      const lives = node.machine.hosts.length;
      const { faults } = node.machine;
      faults.at(faults.calls + call, { kind });
      ask(node);
      expect(await node.rest(), `call ${call}`).toBe(true);
      expect([node.says(made, 'message'), node.says(made, 'status')], `call ${call}`).toEqual([undefined, PROCESSED]);
      expect(node.fileSystems.contentAt(pathOf(made))?.data, `call ${call}`).toBe('data 1');
      expect(node.contentOf(VOLUME)?.data, `call ${call}`).toBe('data 1');
      expect(node.violations, `call ${call}`).toEqual(marked);
      const isOver = node.machine.hosts.length === lives + (made === VOLUME ? 1 : 0);
      if (isOver) return expect(call).toBeGreaterThan(8);
      expect(call).toBeLessThan(400);
    }
  });
});

describe.each(SNAPSHOTS)('$kind', PATIENCE, ({ prepare, ask, made }) => {
  it('is ready with all that was written after a power cut in the middle of LVM', async () => {
    for (const ms of [10, 1_000, 1_900, 2_100]) {
      const node = await prepare();
      let isCut = false;
      node.machine.faults.when(
        ({ argv }) => {
          if (isCut || !['lvcreate', 'lvchange'].includes(argv?.[0] ?? '')) return false;
          isCut = true;
          node.clock.after(ms, () => node.reboot());
          return false;
        },
        { kind: 'fail' },
      );
      ask(node);
      await node.rest();
      expect(isCut).toBe(true);
      expect([node.says(made, 'message'), node.says(made, 'status')], `${ms} ms`).toEqual([undefined, PROCESSED]);
      expect(node.contentOf(made)?.data, `${ms} ms`).toBe('data 1');
      expect(node.violations, `${ms} ms`).toEqual([]);
    }
  });
});
