/** What the devices job says about a device, before it would wipe it for a new volume. */
import { type Purpose, whyNotToWipe } from '../../src/devices/guards.ts';
import { hold } from '../../src/devices/held.ts';
import { observe } from '../../src/devices/observe.ts';
import type { Refusal } from '../../src/devices/refusals.ts';
import { host, settled, untouched } from './machine.ts';

const FOR_A_NEW_VOLUME: Purpose = {
  deviceDir: '/dev',
  method: 'zero-head',
  cluster: 'here',
  isEntryCertain: false,
  wipeExisting: false,
  approved: new Set(),
};

/** Looks at it just as the job does, and makes sure that this has changed nothing. */
export async function whyNot(path: string, purpose: Partial<Purpose> = {}): Promise<Refusal | undefined> {
  await settled();
  return untouched([path], async () => {
    const held = await hold(host, path, 'read');
    if ('refusal' in held) return held.refusal;
    await using device = held.device;
    const observed = await observe(host, device, held.isHeld, { trustInit: false, volumes: [] });
    return whyNotToWipe(observed, { ...FOR_A_NEW_VOLUME, ...purpose });
  });
}
