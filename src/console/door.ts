/** Who is let in: on loopback everybody at this machine, with the rights that the console itself has; else who has a token that the cluster knows. */
import type { KubeClient } from '../kit/kube/client.ts';
import type { ConsoleCluster } from './cluster.ts';
import type { Refusal } from './guard.ts';
import { EVERYTHING, type Rights } from './rights.ts';

/** Somebody who asks, in one cluster. */
export interface Caller {
  readonly user: string;
  readonly rights: Rights;
  /** What is done for them is done as them. */
  readonly client: KubeClient;
}

export interface Door {
  readonly wantsToken: boolean;
  callerIn(cluster: ConsoleCluster, authorization: string | undefined): Promise<Caller | Refusal>;
}

export function openDoor(user: string): Door {
  return {
    wantsToken: false,
    callerIn: async ({ client }) => ({ user, rights: EVERYTHING, client }),
  };
}
