/**
 * A device as the agent judges it before it wipes: held, looked at, and let pass by the guards or not. Also a program of its own
 * (`node guards-judged.ts PATH`), to be run with less rights than a test has.
 */
import { dirname } from 'node:path';
import { type Purpose, whyNotToWipe } from '../../src/devices/guards.ts';
import { hold } from '../../src/devices/held.ts';
import { type ObserveOptions, observe } from '../../src/devices/observe.ts';
import type { Observed } from '../../src/devices/observed.ts';
import type { Refusal } from '../../src/devices/refusals.ts';
import { systemClock } from '../../src/kit/clock/clock.ts';
import { type Host, realHost } from '../../src/kit/host/host.ts';

export interface Judged {
  /** Without one it may be wiped. */
  readonly refusal?: Refusal | undefined;
  readonly observed?: Observed;
}

export interface JudgeOptions extends Partial<ObserveOptions> {
  readonly purpose?: Partial<Purpose>;
  readonly host?: Host;
  /** Between the moment at which the device is held and the one at which it is looked at. */
  readonly whileHeld?: () => Promise<void>;
}

const FOR_A_FIRST_VOLUME = {
  method: 'zero-head',
  cluster: 'cluster-1',
  isEntryCertain: false,
  wipeExisting: false,
  approved: new Set<string>(),
} as const;

export async function judged(path: string, options: JudgeOptions = {}): Promise<Judged> {
  const { host = realHost({ clock: systemClock }), trustInit = true, volumes = [], purpose } = options;
  const held = await hold(host, path, 'read');
  if ('refusal' in held) return held;
  await using device = held.device;
  await options.whileHeld?.();
  const observed = await observe(host, device, held.isHeld, { trustInit, volumes });
  const refusal = whyNotToWipe(observed, { ...FOR_A_FIRST_VOLUME, deviceDir: dirname(path), ...purpose });
  return { refusal, observed };
}

if (import.meta.main) {
  const { refusal } = await judged(process.argv[2] ?? '');
  process.stdout.write(`${JSON.stringify(refusal ?? { fact: 'none' })}\n`);
}
