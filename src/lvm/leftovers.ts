/** Takes away a logical volume that no volume of the cluster stands for any more: what its time in the trash is over for, or what a person wants gone. */
import { Refuse, Retry } from '../kit/controller/outcome.ts';
import { SHRED_METHODS } from './contract.ts';
import { decideRemoval, type Leaving } from './decide-removal.ts';
import type { LogicalVolume, Lvm } from './facts.ts';
import type { Going, Machine } from './machine.ts';
import { sightOf } from './sight.ts';
import { ownerOf } from './tags.ts';

export interface Leftover {
  readonly lv: LogicalVolume;
  /** Where it may be mounted and is unmounted. Empty for nowhere: then it is left alone if it is. */
  readonly path: string;
  /** Whether it may still be removed, as it is found by then. */
  readonly isStill: (lv: LogicalVolume) => boolean;
}

export interface LeftoverGoing extends Partial<Going> {
  readonly signal: AbortSignal;
  readonly does: (step: string) => void;
}

/** More than any of them needs. */
const MOST_STEPS = 12;

/** Step by step, with a look before each. It is shredded if its marks ask for that. */
export async function removeLeftover(leftover: Leftover, machine: Machine, going: LeftoverGoing): Promise<void> {
  const { signal, does, progress = () => {} } = going;
  using _here = machine.join();
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const look = await machine.look();
    const lv = findIn(look.lvm, leftover);
    if (!lv) return;
    const leaving = leavingOf(lv, leftover.path);
    const sight = sightOf({ ...leaving, vg: lv.group }, look);
    const decision = decideRemoval(leaving, sight);
    if (decision.kind === 'refuse') throw new Refuse(decision);
    if (decision.kind !== 'step') throw new Retry(`it cannot be told what is to be done with ${nameOf(lv)}`);
    does(decision.step.kind);
    await machine.takeAway(decision.step, leaving, sight, { signal, progress });
  }
  throw new Retry(`${nameOf(leftover.lv)} is not gone after ${MOST_STEPS} steps`);
}

/** Nothing when it is gone. Its name may be another one by now. */
function findIn({ groups }: Lvm, { lv: { uuid }, isStill }: Leftover): LogicalVolume | undefined {
  const all = [...groups.values()].flatMap(({ volumes }) => [...volumes.values()]);
  const lv = all.find((each) => each.uuid === uuid);
  if (lv && !isStill(lv)) throw new Retry(`${nameOf(lv)} is no longer what it was: somebody may have taken it back`);
  return lv;
}

function leavingOf(lv: LogicalVolume, path: string): Leaving {
  const { uid = '', options = {} } = ownerOf(lv) ?? {};
  const shred = SHRED_METHODS.find((method) => method === options.shred) ?? 'none';
  return { name: lv.name, uid, path, shred, removePolicy: 'delete' };
}

const nameOf = ({ group, name }: LogicalVolume): string => `${group}/${name}`;
