/** A device that is held: looked at, judged, wiped and read back by one descriptor. Whatever its path leads to meanwhile changes nothing. */
import type { OpenDevice } from '../kit/host/block-device.ts';
import { DeviceError } from '../kit/host/device-error.ts';
import type { Host } from '../kit/host/host.ts';
import type { Refusal } from './refusals.ts';

export type Held = { readonly device: OpenDevice; readonly isHeld: boolean };

/**
 * Opens it for us alone. Who only looks must not open it for writing: when such a descriptor is closed, udev wakes what sleeps on the
 * device. Where the kernel does not let us have it, `isHeld` is false: it is open for reading, only to find out who has it.
 * Rejects with a `DeviceError` when there is no device, or it fails.
 */
export async function hold(
  host: Host,
  path: string,
  access: 'read' | 'read-write',
): Promise<Held | { readonly refusal: Refusal }> {
  try {
    return { device: await host.devices.open(path, { access, exclusive: true, direct: true }), isHeld: true };
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    if (error.reason === 'busy') return { device: await host.devices.open(path, { access: 'read' }), isHeld: false };
    const refusal = refusalOf(error);
    if (refusal) return { refusal };
    throw error;
  }
}

/** What is there and cannot be opened or understood may be in any use. */
function refusalOf({ reason, message }: DeviceError): Refusal | undefined {
  switch (reason) {
    case 'not-a-block-device':
      return { fact: 'isNotABlockDevice' };
    case 'read-only':
      return { fact: 'isReadOnly' };
    case 'missing':
    case 'io':
      return undefined;
    default:
      return { fact: 'useIsUnknown', why: [message] };
  }
}
