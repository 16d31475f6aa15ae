import { describe, expect, it } from 'vitest';
import type { Fault } from '../kit/host/simulated/faults.ts';
import type { Operation } from '../kit/host/simulated/operation.ts';
import { ApiError } from '../kit/kube/api-error.ts';
import { ConnectionError } from '../kit/kube/transport.ts';
import { QUIET_AFTER_HANGING_MS, SimulatedNode } from './simulated-node.ts';
import { nodeOf, type Rehearsal, rehearsed, story, VOLUME, WAYS, type Way } from './simulated-story.ts';

/** For a machine that has other things to do. */
const PATIENCE = { timeout: 180_000 };
/** An undisturbed story takes four; what was lost is written again, and what has failed is told on the volume. */
const MOST_WRITES = 14;

const isOfTheApi = ({ target }: Operation) => target === 'api';
/** Without chattr all goes on, and the mount point is not protected. */
const isCommand = ({ verb, target }: Operation) => verb === 'exec' && target !== 'api' && target !== 'chattr';

interface Trial {
  readonly way: Way;
  readonly rehearsal: Rehearsal;
  readonly which: (operation: Operation) => boolean;
  readonly fault: Fault;
  readonly times: number;
}

/** The fault strikes from the call of this index on, as often as told, and nothing is different in the end. */
async function tried({ way, rehearsal, which, fault, times }: Trial, index: number): Promise<void> {
  const node = nodeOf(way);
  let seen = 0;
  node.machine.faults.when((operation) => which(operation) && seen++ >= index, fault, times);
  const at = `${fault.kind} at ${index}, ${times} times`;
  const quietMs = fault.kind === 'hang' ? QUIET_AFTER_HANGING_MS : undefined;
  expect(await story(node, way, quietMs), at).toEqual(rehearsal.pictures);
  expect(seen, at).toBeGreaterThan(index);
  expect(node.violations, at).toEqual([]);
  expect(node.apiWrites.length, at).toBeLessThanOrEqual(MOST_WRITES);
}

describe('a call of the API that fails', PATIENCE, () => {
  const refused = new ConnectionError('nobody listens', { mayHaveHappened: false });
  const lost = new ConnectionError('the connection broke', { mayHaveHappened: true });
  const answered = (status: number, reason: 'Conflict' | 'InternalError') =>
    new ApiError({ request: 'a call', status, reason, detail: 'as the test wants it' });
  const ways = WAYS.filter(({ kind }) => ['a plain volume', 'an encrypted volume'].includes(kind));
  it('is tried with two kinds of volumes', () => expect(ways).toHaveLength(2));

  it.each<{ name: string; fault: Fault; isOfWrites?: boolean }>([
    { name: 'since nobody listens', fault: { kind: 'fail', error: refused } },
    { name: 'since the request is lost', fault: { kind: 'fail', error: lost } },
    { name: 'since the reply is lost', fault: { kind: 'fail-after', error: lost } },
    { name: 'since no answer ever comes', fault: { kind: 'hang' } },
    { name: 'with 500', fault: { kind: 'fail', error: answered(500, 'InternalError') } },
    { name: 'with 500 after it was carried out', fault: { kind: 'fail-after', error: answered(500, 'InternalError') } },
    { name: 'with 409', fault: { kind: 'fail', error: answered(409, 'Conflict') }, isOfWrites: true },
  ])('$name, once or for a while, changes nothing in the end', async ({ fault, isOfWrites = false }) => {
    for (const way of ways) {
      const rehearsal = await rehearsed(way);
      const which = (operation: Operation) => isOfTheApi(operation) && (operation.changes || !isOfWrites);
      for (const index of rehearsal.calls.filter(which).keys())
        for (const times of [1, 6]) await tried({ way, rehearsal, which, fault, times }, index);
    }
  });
});

describe('a command that fails', PATIENCE, () => {
  it.each(WAYS)('for $kind, before or after it has done its work, changes nothing in the end', async (way) => {
    const rehearsal = await rehearsed(way);
    for (const index of rehearsal.calls.filter(isCommand).keys())
      for (const kind of ['fail', 'fail-after'] as const)
        for (const times of [1, 3]) await tried({ way, rehearsal, which: isCommand, fault: { kind }, times }, index);
  });

  it.each(WAYS)('for $kind since it hangs until its time is over changes nothing in the end', async (way) => {
    const rehearsal = await rehearsed(way);
    for (const index of rehearsal.calls.filter(isCommand).keys())
      await tried({ way, rehearsal, which: isCommand, fault: { kind: 'hang' }, times: 1 }, index);
  });

  it('since the filesystem of the mount points knows no such mark leaves them without it', async () => {
    const [way] = WAYS;
    if (!way) throw new Error('there is no way');
    const node = new SimulatedNode();
    node.machine.faults.when(({ target }) => target === 'chattr', { kind: 'fail' }, Number.POSITIVE_INFINITY);
    const [made, , , gone] = await story(node, way);
    expect(made).toMatchObject({ mounts: [{ mountPoint: `/mnt/pv/${VOLUME}` }], immutable: [] });
    expect(gone).toMatchObject({ logicalVolumes: [], directories: [], volumes: [] });
  });
});

describe('a write that somebody else comes in between of', () => {
  /** The phase of the volume is written just before the first write of ours arrives. */
  async function interrupted(change: (node: SimulatedNode) => void) {
    const node = new SimulatedNode();
    let isFirst = true;
    node.machine.faults.when(
      ({ target, changes }) => {
        if (target === 'api' && changes && isFirst) {
          isFirst = false;
          change(node);
        }
        return false;
      },
      { kind: 'fail' },
    );
    node.declare(VOLUME);
    await node.rest();
    return node;
  }
  const looks = (node: SimulatedNode) => node.commandsSince(0).filter((argv) => argv.includes('fullreport')).length;

  it('is written at once to what he has made of it when that is none of our business', async () => {
    const undisturbed = new SimulatedNode();
    undisturbed.declare(VOLUME);
    await undisturbed.rest();
    const node = await interrupted(({ cluster }) =>
      cluster.change(VOLUME, (volume) => ({ ...volume, status: { phase: 'Pending' } })),
    );
    expect([node.says(VOLUME, 'status'), node.apiWrites.length]).toEqual(['Processed', 3]);
    expect(looks(node)).toBe(looks(undisturbed));
  });

  it('is not written when something else is asked for by now', async () => {
    const node = await interrupted((one) => one.annotate(VOLUME, { fsType: 'xfs' }));
    expect(node.says(VOLUME, 'fsType')).toBe('xfs');
    expect(node.lv(VOLUME)?.content.signature).toBe('xfs');
    expect(node.violations).toEqual([]);
  });
});
