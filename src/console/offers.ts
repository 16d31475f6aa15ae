/**
 * What a person can do in a cluster at this moment, worked out anew from the very things that it will be done with. What is done is what was
 * shown only if these are the same in every word.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ReadStanding } from '../devices/node-report.ts';
import { devicesStatus, type Reported } from '../devices/status.ts';
import type { Identity } from '../kit/cache/store.ts';
import type { PersistentVolumeSync } from '../sync/contract.ts';
import { identitiesIn, undisputed } from './agents.ts';
import type { ConsoleCluster } from './cluster.ts';
import type { Action, ConfirmedAction } from './model.ts';
import { approvalOf } from './node-needs.ts';
import type { Parts } from './overview.ts';
import { cancelOf } from './pools.ts';
import { drillOf } from './syncs.ts';

/** With what it is done with. */
export type Offer =
  | {
      readonly does: 'approve-wipe';
      readonly action: Action;
      readonly node: string;
      readonly reported: Reported;
      readonly standing: ReadStanding;
    }
  | { readonly does: 'cancel-drain'; readonly action: Action; readonly pool: string; readonly seen: Identity }
  | { readonly does: 'start-drill'; readonly action: Action; readonly sync: PersistentVolumeSync };

/** Nothing unless it can be done now exactly as it was shown. What a page sends is not believed. */
export function offerOf(cluster: ConsoleCluster, visible: Parts, sent: ConfirmedAction): Offer | undefined {
  const { confirmed: _, ...shown } = sent;
  if (!offersIn(visible).some((action) => isDeepStrictEqual(action, shown))) return undefined;
  const offer = offerNow(cluster, shown);
  return offer && isDeepStrictEqual(offer.action, shown) ? offer : undefined;
}

const offersIn = ({ nodes, pools, syncs }: Parts): readonly (Action | undefined)[] => [
  ...(nodes.known ? [...nodes.value.values()].flatMap(({ row }) => row.devices.map(({ approve }) => approve)) : []),
  ...(pools.known ? [...pools.value.values()].map(({ row }) => row.cancel) : []),
  ...(syncs.known ? [...syncs.value.values()].map(({ row }) => row.drill) : []),
];

function offerNow(cluster: ConsoleCluster, { name, to }: Action): Offer | undefined {
  switch (name) {
    case 'approve-wipe':
      return approvalNow(cluster, to);
    case 'cancel-drain':
      return cancelNow(cluster, to);
    case 'start-drill':
      return drillNow(cluster, to);
  }
}

function approvalNow({ views, clock }: ConsoleCluster, { node = '', volume = '' }: Action['to']): Offer | undefined {
  const reports = [...views.reports.values()].flatMap((each) =>
    each.job === 'devices' && each.report.node === node ? [each] : [],
  );
  const [reported] = undisputed(reports).reports;
  if (!reported) return undefined;
  const nodes = [...views.nodes.keys()];
  const looked = { reports: [reported], nodes, volumes: [...views.deviceVolumes.values()] };
  const device = devicesStatus(looked, clock.now(), [node]).nodes[0]?.devices.find((each) => each.volume === volume);
  const action = device && approvalOf(node, device, identitiesIn(reported).get(volume));
  const standing = reported.report.devices.find((each) => each.volume === volume);
  return action && standing && { does: 'approve-wipe', action, node, reported, standing };
}

function cancelNow({ views }: ConsoleCluster, { namespace = '', pool = '' }: Action['to']): Offer | undefined {
  const key = `${namespace}/${pool}`;
  const [found, seen] = [views.pools.get(key), views.pools.identityOf(key)];
  const action = found && cancelOf(found);
  return action && seen && { does: 'cancel-drain', action, pool: key, seen };
}

function drillNow({ views, store }: ConsoleCluster, { sync: name = '' }: Action['to']): Offer | undefined {
  const sync = views.syncs.get(name);
  const action = sync && drillOf(sync, store !== undefined);
  return action && { does: 'start-drill', action, sync };
}
