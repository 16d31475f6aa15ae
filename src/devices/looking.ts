/** Opens a device and looks at it, and at all that may use it, for no longer than a device that works may take. */
import type { OpenDevice } from '../kit/host/block-device.ts';
import type { Host } from '../kit/host/host.ts';
import { closeSoon, DoesNotAnswer, type Patience } from '../kit/patience.ts';
import type { Held } from './held.ts';
import { type ObserveOptions, observe } from './observe.ts';
import type { Observed } from './observed.ts';
import type { Refusal } from './refusals.ts';

/** The kernel gives a command to a disk 30 seconds, and repeats it up to five times before it reports an error. */
export const DEVICE_PATIENCE_MS = 6 * 30_000;

export interface LookingParts {
  readonly host: Host;
  readonly patience: Patience;
  readonly trustInit: boolean;
  /** Asked for when the device is open. */
  readonly volumes: () => Promise<ObserveOptions['volumes']>;
}

/** Open until it is disposed of. */
export interface Looked extends AsyncDisposable {
  readonly device: OpenDevice;
  readonly observed: Observed;
}

type Opening = Held | { readonly refusal: Refusal };

/** What hangs is not waited for: it is closed when it has ended, whenever that is. Rejects with a `DeviceError` when the device fails. */
export async function lookAt(
  path: string,
  open: () => Promise<Opening>,
  parts: LookingParts,
): Promise<Looked | { readonly refusal: Refusal }> {
  try {
    return await looked(path, open, parts);
  } catch (error) {
    if (!(error instanceof DoesNotAnswer)) throw error;
    return { refusal: refusalOf(error) };
  }
}

async function looked(path: string, open: () => Promise<Opening>, parts: LookingParts) {
  const { patience } = parts;
  const withinMs = DEVICE_PATIENCE_MS;
  const opening = await patience.ask(path, open, { withinMs, putAway: closeLate });
  if ('refusal' in opening) return opening;
  const { device, isHeld } = opening;
  const close = () => closeSoon(device, patience, withinMs);
  try {
    const volumes = await parts.volumes();
    const options = { trustInit: parts.trustInit, volumes, patience };
    const look = () => observe(parts.host, device, isHeld, options);
    const observed = await patience.ask(path, look, { withinMs, putAway: () => close().catch(() => {}) });
    return { device, observed, [Symbol.asyncDispose]: close };
  } catch (error) {
    if (!(error instanceof DoesNotAnswer)) await close();
    throw error;
  }
}

function closeLate(opening: Opening | undefined): void {
  if (opening && 'device' in opening) opening.device.close().catch(() => {});
}

const refusalOf = ({ forMs, message }: DoesNotAnswer): Refusal =>
  forMs === undefined
    ? { fact: 'useIsUnknown', why: [message] }
    : { fact: 'doesNotAnswer', seconds: Math.round(forMs / 1000) };
