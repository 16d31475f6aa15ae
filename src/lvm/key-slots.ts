/** Which keys open an encrypted volume: looked at and changed while it is open, too. */

import { Refuse, Retry } from '../kit/controller/outcome.ts';
import type { Commands } from '../kit/host/command.ts';
import * as commands from './commands.ts';
import type { Keys } from './keys.ts';
import type { OtherFact } from './reasons.ts';

export interface Encrypted {
  readonly device: string;
  readonly keys: Keys;
}

/**
 * Lets the key open it, and the one before no longer. The new slot is made and tried before the old one is killed, so that whoever is cut
 * off in between leaves at least one that works. Says whether anything was to be done.
 */
export async function renewKeys(host: Pick<Commands, 'exec'>, { device, keys }: Encrypted): Promise<boolean> {
  const { key, previousKey } = keys;
  const slotOf = async (each: Uint8Array) =>
    commands.slotIn(await run(host, commands.luksTestKey({ device, key: each })));
  const isNew = (await slotOf(key)) === undefined;
  const oldSlot = previousKey && (await slotOf(previousKey));
  if (isNew && (previousKey === undefined || oldSlot === undefined)) throw keyIsWrong(device, keys);
  if (isNew && previousKey) {
    await run(host, commands.luksAddKey({ device, key: previousKey, newKey: key }));
    if ((await slotOf(key)) === undefined) throw new Retry(`the new key does not open ${device}, so the old one stays`);
  }
  // A key that was added twice, by one who was cut off and one who came after him, is in two slots.
  for (let slot = oldSlot; previousKey && slot !== undefined; slot = await slotOf(previousKey))
    await run(host, commands.luksKillSlot({ device, key, slot }));
  return isNew || oldSlot !== undefined;
}

const run = (host: Pick<Commands, 'exec'>, { argv, options }: commands.Command) => host.exec(argv, options);

/** The keys of a snapshot are those that its volume had when it was made: nothing can be written to it. */
export const keyIsWrong = (device: string, { previousKey }: Keys, { isSnapshot = false } = {}): Refuse =>
  new Refuse({
    fact: 'keyIsWrong' satisfies OtherFact,
    message: previousKey
      ? `neither the key nor the previousKey of its Secret opens ${device}`
      : `the key of its Secret does not open ${device}, and there is no previousKey`,
    remedy: isSnapshot
      ? 'A snapshot keeps the keys that its volume had when it was made: put that key into the Secret as previousKey, and leave it there as long as the snapshot is needed'
      : 'Put the key that it was encrypted with into the Secret, as key, or as previousKey to have it replaced by key',
  });
