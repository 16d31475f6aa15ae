/** What is on the devices of volumes, for many of them at once. */
import * as z from 'zod';
import type { OpenDevice } from '../kit/host/block-device.ts';
import type { Commands } from '../kit/host/command.ts';
import type { Known } from '../kit/known.ts';
import { NOTHING, type Opened, signatureAsked, unknown } from './signature.ts';

/** As many as one process is given. */
const AT_ONCE = 64;

const NOT_ASKED = unknown('it was not looked at');

/** As `contentAt` of each. All that could be opened stay so until the answer comes: where nobody else can, they are as they were found. */
export async function contentsAt(
  commands: Commands,
  paths: readonly string[],
  open: (path: string) => Promise<Opened>,
): Promise<readonly Known<string | undefined>[]> {
  await using stack = new AsyncDisposableStack();
  const answers = new Map<string, Known<string | undefined>>();
  const others = new Map<string, OpenDevice>();
  await Promise.all(
    paths.map(async (path) => {
      try {
        const { device, isBlank } = stack.use(await open(path));
        if (isBlank) answers.set(path, NOTHING);
        else others.set(path, device);
      } catch (error) {
        answers.set(path, unknown(error));
      }
    }),
  );
  const found = await signaturesOf(commands, [...others.values()]);
  for (const [index, path] of [...others.keys()].entries()) answers.set(path, found[index] ?? NOT_ASKED);
  return paths.map((path) => answers.get(path) ?? NOT_ASKED);
}

/**
 * In the order of the devices, each of which has been read by ourselves wherever signatures are. One process looks at all of them for
 * what libblkid knows: we are large, and slow to start one for each. What it finds something on, and all when it fails, is asked of blkid one by one:
 * that tells what it is, or why nobody can tell.
 */
export async function signaturesOf(
  commands: Commands,
  devices: readonly OpenDevice[],
): Promise<readonly Known<string | undefined>[]> {
  const blank = devices.length > 1 ? await withoutSignature(commands, devices) : new Set<OpenDevice>();
  const answers: Known<string | undefined>[] = [];
  for (const device of devices) answers.push(blank.has(device) ? NOTHING : await signatureAsked(commands, device));
  return answers;
}

async function withoutSignature(commands: Commands, devices: readonly OpenDevice[]): Promise<ReadonlySet<OpenDevice>> {
  const without = new Set<OpenDevice>();
  for (let from = 0; from < devices.length; from += AT_ONCE)
    for (const device of await someWithout(commands, devices.slice(from, from + AT_ONCE))) without.add(device);
  return without;
}

/** It calls a device by the last part of its path, which is the number of its descriptor. */
const FOUND = z.object({ signatures: z.array(z.object({ device: z.string().regex(/^\d+$/) })) });
const FIRST_FD = 3;

async function someWithout(commands: Commands, devices: readonly OpenDevice[]): Promise<readonly OpenDevice[]> {
  const paths = devices.map((_, index) => `/proc/self/fd/${FIRST_FD + index}`);
  const argv = ['wipefs', '--no-act', '--json', '--output', 'DEVICE', ...paths];
  try {
    const { stdout, stderr } = await commands.exec(argv, { inheritFds: devices });
    if (stderr.trim() !== '') return [];
    const { signatures } = FOUND.parse(JSON.parse(stdout));
    const found = new Set(signatures.map(({ device }) => Number(device) - FIRST_FD));
    return devices.filter((_, index) => !found.has(index));
  } catch {
    return []; // blkid tells
  }
}
