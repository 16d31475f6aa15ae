import { describe, expect, it } from 'vitest';
import type { Operation } from '../kit/host/simulated/operation.ts';
import { HALF_OF_MKFS_MS } from './simulated-filesystems.ts';
import { SimulatedNode } from './simulated-node.ts';
import {
  namesOf,
  nodeOf,
  type Rehearsal,
  rehearsed,
  story,
  TOGETHER,
  VOLUME,
  WAYS,
  type Way,
} from './simulated-story.ts';

/** For a machine that has other things to do. */
const PATIENCE = { timeout: 180_000 };

/** Files that are only read make no difference for what is left behind when a process ends between two of them. */
const isAPlaceToDie = ({ verb, changes }: Operation) => verb === 'exec' || changes;
const isProgram = ({ verb, target, changes }: Operation) => verb === 'exec' && target !== 'api' && changes;

const ALL = [...WAYS, TOGETHER];

/** When a program is cut off: as it begins, and in either half of what takes long. */
const MOMENTS_MS = [10, HALF_OF_MKFS_MS / 2, HALF_OF_MKFS_MS * 1.5];

async function expectTheSame(way: Way, { pictures }: Rehearsal, killed: string, arm: (node: SimulatedNode) => void) {
  const node = nodeOf(way);
  arm(node);
  expect(await story(node, way), killed).toEqual(pictures);
  expect(node.violations, killed).toEqual([]);
  expect(node.machine.hosts, killed).toHaveLength(2);
}

/** Something happens so long after the call of this number begins. */
function afterCall(node: SimulatedNode, call: number, ms: number, act: () => void): void {
  const { faults } = node.machine;
  faults.when(
    () => {
      if (faults.calls === call) node.clock.after(ms, act);
      return false;
    },
    { kind: 'fail' },
  );
}

const inWords = ({ verb, target, argv }: Operation, index: number): string =>
  `at call ${index + 1}, ${argv?.join(' ') ?? `${verb} ${target}`}`;

describe('the story of a volume', () => {
  it.each(ALL)('of $kind ends as it began', async (way) => {
    const node = nodeOf(way);
    const [made, grown, remounted, gone] = await story(node, way);
    const mountPoints = namesOf(way)
      .map((name) => `/mnt/pv/${name}`)
      .sort();
    const mounted = (...options: string[]) => mountPoints.map((mountPoint) => ({ mountPoint, options }));
    expect(made).toMatchObject({ mounts: mounted('noexec', 'rw'), immutable: mountPoints });
    expect(grown).not.toEqual(made);
    expect(remounted).toMatchObject({ mounts: mounted('nodev', 'nosuid', 'rw') });
    const left = way.options.thinPool === undefined ? [] : [{ name: 'pool', kind: 'thin-pool' }];
    expect(gone).toMatchObject({ logicalVolumes: left, mounts: [], directories: [], immutable: [], volumes: [] });
    expect(node.violations).toEqual([]);
    expect(node.apiWrites).toHaveLength(4 * mountPoints.length);
  });
});

describe('an agent that is killed', PATIENCE, () => {
  it.each(ALL)('before or after any call for $kind is followed by one that goes on', async (way) => {
    const rehearsal = await rehearsed(way);
    for (const [index, operation] of rehearsal.calls.entries()) {
      if (!isAPlaceToDie(operation)) continue;
      for (const kind of ['crash-before', 'crash-after'] as const)
        await expectTheSame(way, rehearsal, `${kind} ${inWords(operation, index)}`, ({ machine }) =>
          machine.faults.at(index + 1, { kind }),
        );
    }
  });

  it.each(ALL)(
    'in the middle of any command for $kind, with it or alone, is followed by one that goes on',
    async (way) => {
      const rehearsal = await rehearsed(way);
      for (const [index, operation] of rehearsal.calls.entries()) {
        if (!isProgram(operation)) continue;
        for (const ms of MOMENTS_MS)
          for (const withPrograms of [true, false]) {
            const killed = `${withPrograms ? 'with the program, ' : ''}${ms} ms ${inWords(operation, index)}`;
            await expectTheSame(way, rehearsal, killed, (node) =>
              afterCall(node, index + 1, ms, () => node.kill({ withPrograms })),
            );
          }
      }
    },
  );

  it.each(ALL)('by a power cut in the middle of any command for $kind is followed by one that goes on', async (way) => {
    const rehearsal = await rehearsed(way);
    for (const [index, operation] of rehearsal.calls.entries()) {
      if (!isProgram(operation)) continue;
      for (const ms of [...MOMENTS_MS, 3 * HALF_OF_MKFS_MS])
        await expectTheSame(way, rehearsal, `the power ${ms} ms ${inWords(operation, index)}`, (node) =>
          afterCall(node, index + 1, ms, () => node.reboot()),
        );
    }
  });
});

describe('a new volume that somebody else has for himself', () => {
  it('is left alone until he is done with it', async () => {
    const node = new SimulatedNode();
    node.machine.faults.when(({ argv }) => argv?.includes('mkfs.ext4') ?? false, { kind: 'crash-before' });
    node.start();
    node.declare(VOLUME);
    await node.pass(5_000);
    const { mapped } = node.lv(VOLUME) ?? {};
    if (!mapped) throw new Error('it has no device');
    const isDone = Promise.withResolvers<void>();
    const before = node.machine.calls.length;
    void node.lvm.devices.held(mapped, 'somebody', () => isDone.promise);
    expect(await node.rest()).toBe(true);
    expect(node.commandsSince(before).filter((argv) => argv.includes('mkfs.ext4'))).toEqual([]);
    expect(node.says(VOLUME, 'message')).toMatch(/busy|in use/);
    isDone.resolve();
    await node.pass(600_000);
    expect(node.says(VOLUME, 'status')).toBe('Processed');
    expect(node.violations).toEqual([]);
  });
});
