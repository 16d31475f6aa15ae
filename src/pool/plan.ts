/** What is to be done about a pool now. */
import { isDeepStrictEqual } from 'node:util';

import type { DecommissionOrder, RecommissionOrder } from '../pool-client/protocol.ts';
import type { AutoscalingStatus, Operation, PvPool } from './contract.ts';
import type { Note } from './reasons.ts';
import type { Member, Pressure, SeenClaim, SeenPod, SupportingKind } from './seen.ts';

/** What must not be forgotten, and is therefore kept in the status. */
export interface Kept {
  readonly operation?: Operation | undefined;
  readonly lastGeneration?: number | undefined;
  readonly cancelledGeneration?: number | undefined;
  readonly autoscaling?: AutoscalingStatus | undefined;
}

export type Action =
  | { readonly do: 'create'; readonly kind: SupportingKind }
  | { readonly do: 'createSet'; readonly replicas: number }
  | { readonly do: 'order'; readonly to: Addressee; readonly order: Order }
  | { readonly do: 'scaleUp'; readonly from: number; readonly to: number }
  | { readonly do: 'drop'; readonly operation: Operation }
  | { readonly do: 'writeTemplate' }
  | { readonly do: 'lowerPartition'; readonly to: number }
  | { readonly do: 'growClaim'; readonly claim: SeenClaim; readonly gib: number }
  | { readonly do: 'labelClaim'; readonly claim: SeenClaim }
  | { readonly do: 'ownClaim'; readonly claim: SeenClaim; readonly owned: boolean }
  | { readonly do: 'deleteClaim'; readonly claim: SeenClaim }
  | { readonly do: 'takeCancelAway' };

export type Order =
  | ({ readonly kind: 'decommission' } & DecommissionOrder)
  | ({ readonly kind: 'recommission' } & RecommissionOrder);

export interface Addressee {
  readonly name: string;
  readonly podUid: string;
  readonly ip: string;
}

/** Nothing is done in the round in which something is to be kept: what is done next rests on that it is. */
export interface Plan {
  readonly kept: Kept;
  readonly actions: readonly Action[];
  readonly notes: readonly Note[];
  readonly pressure?: Pressure['towards'] | undefined;
}

export const keptOf = ({ status }: PvPool): Kept => ({
  ...(status?.operation && { operation: withoutProgress(status.operation) }),
  ...(status?.lastGeneration !== undefined && { lastGeneration: status.lastGeneration }),
  ...(status?.cancelledGeneration !== undefined && { cancelledGeneration: status.cancelledGeneration }),
  ...(status?.autoscaling && { autoscaling: status.autoscaling }),
});

/** Whether all that is to be kept is kept already. */
export const isKept = ({ kept }: Plan, pool: PvPool): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(kept)), keptOf(pool));

/** That is told anew each time. */
const withoutProgress = ({ progress: _, ...operation }: Operation): Operation => operation;

/** How an order is remembered: the same again need not be given again. */
export const orderKey = (order: Order): string => JSON.stringify(order);

/** Where a member can be told something; nothing while its pod has no address. */
export function addresseeOf({ name, pod }: Pick<Member, 'name' | 'pod'>): Addressee | undefined {
  if (pod?.ip === undefined || pod.isDeleting) return undefined;
  return { name, podUid: pod.uid, ip: pod.ip };
}

export const urlOf = ({ ip = '' }: Pick<SeenPod, 'ip'>, port: number): string =>
  `http://${ip.includes(':') ? `[${ip}]` : ip}:${port}`;
