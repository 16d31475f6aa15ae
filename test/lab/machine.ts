/** The guest that a test of this directory runs in. Its devices are real, and nobody else's. */
import { existsSync } from 'node:fs';
import { systemClock } from '../../src/kit/clock/clock.ts';
import { realHost } from '../../src/kit/host/host.ts';

if (!existsSync('/lab/init'))
  throw new Error(
    'these tests take all disks for theirs: run them in a guest, tools/lab/boot.sh vitest run --project lab',
  );

export const host = realHost({ clock: systemClock });

export const MIB = 2 ** 20;

/** Resolves with what the program wrote. */
export async function run(...argv: string[]): Promise<string> {
  return (await host.exec(argv)).stdout.trim();
}

/** Whenever a disk appears or changes, udev looks at it, and has it open meanwhile. */
export async function settled(): Promise<void> {
  await run('udevadm', 'settle');
}

/** Runs it before the device is taken away, and when udev does not look at it: what is open cannot be taken apart. */
export function undo({ undo }: { readonly undo: AsyncDisposableStack }, ...argv: string[]): void {
  undo.defer(async () => {
    await settled();
    await run(...argv);
    await settled();
  });
}

async function sha256(path: string): Promise<string> {
  const [sum = ''] = (await run('sha256sum', path)).split(' ');
  return sum;
}

/** Resolves with what `look` found out, if that has not changed a byte of any of the devices. */
export async function untouched<T>(paths: readonly string[], look: () => Promise<T>): Promise<T> {
  const before = await Promise.all(paths.map(sha256));
  const found = await look();
  const after = await Promise.all(paths.map(sha256));
  const changed = paths.filter((_, index) => before[index] !== after[index]);
  if (changed.length > 0) throw new Error(`${changed.join(', ')} is not what it was`);
  return found;
}
