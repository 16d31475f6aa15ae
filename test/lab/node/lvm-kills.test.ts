/**
 * The agent is killed before and after every program that it runs: to make a volume, to let it grow, to give it another key, to make a
 * snapshot of it, to put it into the trash and take it out again, and to take it away. What the next one leaves is what an undisturbed one
 * leaves: nothing is formatted twice, no data are lost, and nothing stays behind.
 */
import { describe, expect, it } from 'vitest';
import { Kills } from './lvm-kills.ts';
import { Campaign, isLook, shotsAt, type Way } from './lvm-kills-campaign.ts';
import { drop, empty, grow, make, remove, restore, rotate, Scene, snapshot, trash } from './lvm-kills-phases.ts';
import { LvmNode, MIB } from './lvm-node.ts';

/** For all kills of a kind of volume together. */
const MANY_AGENTS_MS = 5_400_000;

const WAYS: readonly Way[] = [
  {
    kind: 'a plain volume',
    annotations: { shred: 'zero' },
    sizes: ['16Mi', '24Mi'],
    acts: [[make], [grow], [snapshot, drop], [remove]],
  },
  {
    kind: 'a thin volume',
    annotations: { thinPool: 'pool', thinPoolSize: '64Mi' },
    sizes: ['16Mi', '24Mi'],
    acts: [[make], [grow], [snapshot, drop], [remove]],
  },
  {
    kind: 'an encrypted volume',
    annotations: { cryptSecret: 'key', shred: 'zero' },
    sizes: ['32Mi', '40Mi'],
    acts: [[make], [grow], [rotate], [snapshot, drop], [remove]],
  },
  {
    kind: 'a volume that goes to the trash',
    annotations: { removePolicy: 'trash', shred: 'zero' },
    sizes: ['16Mi', '24Mi'],
    acts: [[make], [trash, restore], [empty]],
  },
];

describe.each(WAYS)('$kind, whose agent is killed before or after any program,', (way) => {
  it('keeps what is on it whatever is done with it, and leaves nothing', { timeout: MANY_AGENTS_MS }, async () => {
    await using node = await LvmNode.start([256 * MIB]);
    const scene = new Scene(node, await Kills.of(node), way);
    await scene.storeKey();
    const campaign = new Campaign(scene, way);

    const rehearsal = await campaign.rehearse();
    const shots = new Map([...rehearsal].map(([phase, { calls }]) => [phase, shotsAt(calls)]));
    const rounds = Math.max(...[...shots.values()].map(({ length }) => length));
    for (let round = 0; round < rounds; round++) await campaign.round(round, rehearsal, shots);
    expect(campaign.missed.filter((shot) => !isLook(shot))).toEqual([]);
    expect(campaign.kills).toBe([...shots.values()].flat().length - campaign.missed.length);
  });
});
