/** The device that a person names on the command line: by its path, its volume, its key or its identity, as `status` shows them. Pure. */

import { describe, type Identity, isNamed } from '../../devices/identity.ts';
import type { ReadReport, ReadStanding } from '../../devices/node-report.ts';
import { inWords } from '../../devices/status.ts';
import { quote } from '../../kit/invalid-value.ts';
import { visible } from '../../kit/visible.ts';
import { UsageError } from '../line/usage-error.ts';

/** One that can be approved: it is refused, for a fact that a person can know better about. */
export interface Approvable extends ReadStanding {
  readonly state: Extract<ReadStanding['state'], { is: 'refused' }>;
  readonly device: string;
  readonly identity: Identity;
}

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

/** Throws with what is so, and what to do instead, unless it waits for nothing but an approval. */
export function approvable(node: string, standing: ReadStanding): Approvable {
  const { state, device, identity, path } = standing;
  const name = `${visible(path)} of ${node}`;
  if (state.is !== 'refused')
    throw new Error(`${name} is not refused, so there is nothing to approve: it is ${visible(inWords(state))}`);
  const { why, remedy } = state;
  if (!state.canBeApproved) throw new Error(`${name} ${visible(why)}, which no approval changes. ${visible(remedy)}`);
  if (device === undefined || identity === undefined)
    throw new Error(`the agent of ${node} does not say which device ${visible(path)} is, so it cannot be approved`);
  return { ...standing, state, device, identity };
}
