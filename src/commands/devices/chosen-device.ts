/** The device that a person names on the command line: by its path, its volume, its key or its identity, as `status` shows them. Pure. */

import { describe, isNamed } from '../../devices/identity.ts';
import type { ReadReport, ReadStanding } from '../../devices/node-report.ts';
import { quote } from '../../kit/invalid-value.ts';
import { visible } from '../../kit/visible.ts';
import { UsageError } from '../line/usage-error.ts';

/** Throws a `UsageError`, with those that there are, unless exactly one is meant. */
export function chosenDevice({ node, devices }: ReadReport, named: string): ReadStanding {
  const meant = devices.filter((device) => namesOf(device).includes(named));
  const [device, ...others] = meant;
  if (device && others.length === 0) return device;
  if (device)
    throw new UsageError(`${quote(named)} is several devices of ${node}: ${listOf(meant)}; name one by its volume`);
  const approvable = devices.filter(({ state }) => state.is === 'refused' && state.canBeApproved);
  const there =
    approvable.length > 0 ? `those that can be approved are ${listOf(approvable)}` : 'none there can be approved';
  throw new UsageError(`${node} has no device ${quote(named)}; ${there}`);
}

function namesOf({ path, volume, device, identity }: ReadStanding): readonly string[] {
  const shown = identity && isNamed(identity) ? [describe(identity), identity.wwid, identity.serial] : [];
  return [path, volume, device, ...shown].filter((name) => name !== undefined);
}

const listOf = (devices: readonly ReadStanding[]): string =>
  devices.map(({ path, volume }) => `${visible(path)} (${volume})`).join(', ');
