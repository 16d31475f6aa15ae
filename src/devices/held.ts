/** A device that is held: looked at, judged, wiped and read back by one descriptor. Whatever its path leads to meanwhile changes nothing. */

import type { OpenDevice } from '../kit/host/block-device.ts';
import { DeviceError } from '../kit/host/device-error.ts';
import type { Host } from '../kit/host/host.ts';
import type { Refusal } from './refusals.ts';

export type Held = { readonly device: OpenDevice; readonly isHeld: boolean };

/**
 * Opens it for us alone. Where the kernel does not allow that, it is opened for reading, only to find out who has it: then `isHeld`
 * is false, and nothing may be written.
 */
export async function hold(host: Host, path: string): Promise<Held | { readonly refusal: Refusal }> {
  try {
    return {
      device: await host.devices.open(path, { access: 'read-write', exclusive: true, direct: true }),
      isHeld: true,
    };
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    if (error.reason === 'not-a-block-device') return { refusal: { fact: 'isNotABlockDevice' } };
    if (error.reason === 'read-only') return { refusal: { fact: 'isReadOnly' } };
    if (error.reason !== 'busy') throw error;
    return { device: await host.devices.open(path, { access: 'read' }), isHeld: false };
  }
}
