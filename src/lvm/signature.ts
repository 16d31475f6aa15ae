/** What is on the device of a volume: a kind of filesystem or something else, nothing, or unknown. */
import { Retry } from '../kit/controller/outcome.ts';
import type { OpenDevice } from '../kit/host/block-device.ts';
import type { Commands } from '../kit/host/command.ts';
import { blankOf, signatureOf } from '../kit/host/content.ts';
import type { Host } from '../kit/host/host.ts';
import type { Known } from '../kit/known.ts';

/**
 * `undefined` when nothing is there that would be recognised. A new logical volume may well have what its disk was used for before: its
 * signatures are wiped when it is made, and not all of it. The device is read by ourselves first, since blkid says of one that cannot
 * be read what it says of one on which there is nothing; and what is blank wherever signatures are needs no command.
 */
export async function contentAt(
  host: Host,
  path: string,
  { open = () => openedAt(host, path, false), ask = (device) => signatureAsked(host, device) }: Looking = {},
): Promise<Known<string | undefined>> {
  try {
    await using opened = await open(path);
    return opened.isBlank ? NOTHING : await ask(opened.device);
  } catch (error) {
    return unknown(error);
  }
}

/** What nobody can find anything on. */
export const NOTHING: Known<undefined> = { known: true, value: undefined };
export const unknown = (error: unknown): Known<never> => ({
  known: false,
  why: error instanceof Error ? error.message : String(error),
});

/** A device that is open until this is disposed of, and whether there is nothing but zeroes on it wherever signatures are. */
export interface Opened extends AsyncDisposable {
  readonly device: OpenDevice;
  readonly isBlank: boolean;
}

/**
 * With `exclusive` it cannot be opened for as long as anybody else has the device for himself, such as an mkfs that has outlived who
 * started it.
 */
export async function openedAt(host: Host, path: string, exclusive: boolean): Promise<Opened> {
  await using stack = new AsyncDisposableStack();
  const device = stack.use(await host.devices.open(path, { access: 'read', direct: true, exclusive }));
  const { sizeBytes } = await device.facts();
  const { isBlank } = await blankOf(device, sizeBytes);
  stack.move();
  return { device, isBlank, [Symbol.asyncDispose]: () => device.close() };
}

export interface Looking {
  /** For who lets only some be read at a time, or does not wait for all of them. */
  readonly open?: (path: string) => Promise<Opened>;
  /** What is on one that is not blank. */
  readonly ask?: (device: OpenDevice) => Promise<Known<string | undefined>>;
}

/** What was found; whoever could not tell must not go on. */
export function told(path: string, found: Known<string | undefined>): string | undefined {
  if (!found.known) throw new Retry(`what is on ${path} cannot be told: ${found.why}`);
  return found.value;
}

/** Throws unless there is still what it was decided to write over. */
export function isStillOn(path: string, before: string | undefined, found: Known<string | undefined>): void {
  const now = told(path, found);
  if (now !== before)
    throw new Retry(`there is ${now ?? 'nothing'} on ${path}, where ${before ?? 'nothing'} was expected`);
}

/** By blkid. */
export async function signatureAsked(commands: Commands, device: OpenDevice): Promise<Known<string | undefined>> {
  try {
    return { known: true, value: await signatureOf(commands, device) };
  } catch (error) {
    return unknown(error);
  }
}
