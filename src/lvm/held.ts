/** What cannot be taken away because a process holds it: tried again after longer and longer pauses, and people are told which process it is. */
import { Retry } from '../kit/controller/outcome.ts';
import { CommandError } from '../kit/host/command.ts';
import { DeviceError } from '../kit/host/device-error.ts';
import type { DeviceNumber } from '../kit/host/device-number.ts';
import type { Holder, Holders } from '../kit/host/holders.ts';

export class Held extends Retry {
  readonly fact = 'isHeld';
  readonly remedy = 'It goes on when they let go of it: end them, or the pods that they belong to';
}

export type FindHolders = (numbers: readonly DeviceNumber[]) => Promise<Holders>;

/** What umount(8), LVM, cryptsetup and the kernel call it. */
const BUSY = /\b(busy|in use|used by another device)\b/i;

/** Does the work. If that fails since somebody holds one of the devices, it fails with who that is. */
export async function unlessHeld<T>(
  what: string,
  numbers: readonly DeviceNumber[],
  find: FindHolders,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new Held(`${what} is in use: ${await who(numbers, find)}`, { cause: error });
  }
}

const isBusy = (error: unknown): boolean =>
  (error instanceof DeviceError && error.reason === 'busy') ||
  (error instanceof CommandError && BUSY.test(error.output.stderr));

async function who(numbers: readonly DeviceNumber[], find: FindHolders): Promise<string> {
  try {
    return inWords(await find(numbers));
  } catch (error) {
    return `by whom cannot be told (${error instanceof Error ? error.message : error})`;
  }
}

/** There can be hundreds. */
const MOST_NAMED = 3;

export function inWords({ holders, unseen }: Holders): string {
  const [blind, ...others] = unseen;
  const notAll = blind === undefined ? '' : `; not everything could be seen: ${blind}${andMore(others.length)}`;
  if (holders.length === 0) return `no process is seen that holds it${notAll || ', so the kernel itself may'}`;
  const named = holders.toSorted(byHowTheyHold).slice(0, MOST_NAMED).map(holderInWords).join(', ');
  return `held by ${named}${andMore(holders.length - MOST_NAMED)}${notAll}`;
}

/** Services of the machine have mounts of their own and with them everything that is mounted: whoever uses it is of more interest. */
const byHowTheyHold = (one: Holder, other: Holder): number => Number(onlyMounts(one)) - Number(onlyMounts(other));
const onlyMounts = ({ holds }: Holder): boolean => holds.every((how) => how === 'mount');

const holderInWords = ({ pid, command, holds }: Holder): string => `process ${pid} (${command}: ${holds.join(', ')})`;

const andMore = (count: number): string => (count > 0 ? ` and ${count} more` : '');
