/** A cluster inside of this process: an API server with everything that it needs, and the ways to talk to it. */
import { NAMESPACES } from '../api/namespaces.ts';
import type { Random } from '../kit/backoff.ts';
import type { Clock } from '../kit/clock/clock.ts';
import type { Transport } from '../kit/kube/transport.ts';
import { Access } from './access/access.ts';
import { createByName } from './access/create-by-name.ts';
import { noEscalation } from './access/escalation.ts';
import { createFirstRoles } from './access/first-roles.ts';
import { BUILT_IN_KINDS } from './kinds/built-in-kinds.ts';
import { Registry } from './kinds/registry.ts';
import { ServerObjects } from './objects.ts';
import { Admission } from './server/admission.ts';
import { Definitions } from './server/definitions.ts';
import { namespaceLifecycle } from './server/namespace-lifecycle.ts';
import { policies } from './server/policies.ts';
import { Reads } from './server/reads.ts';
import { ResourceRequests } from './server/resource-requests.ts';
import { Server } from './server/server.ts';
import {
  claimResize,
  defaultStorageClass,
  oldLabels,
  podDefaults,
  podTolerations,
  storageProtection,
} from './server/storage-admission.ts';
import { ADMIN, type User } from './server/target.ts';
import { Writes } from './server/writes.ts';
import type { Objects } from './store/objects.ts';
import { Store, type StoreOptions } from './store/store.ts';
import { InProcessTransport } from './transport.ts';

export interface ClusterOptions extends StoreOptions {
  readonly clock: Clock;
  /** Decides uids, generated names and tokens: with the same one, a run is the same. */
  readonly random: Random;
}

/** Those that every cluster has. */
const FIRST_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

export class Cluster {
  readonly store: Store;
  readonly registry = new Registry(BUILT_IN_KINDS);
  /** Everything at once, with no rights in between. */
  readonly objects: Objects;
  readonly access: Access;
  readonly server: Server;

  constructor({ clock, random, ...options }: ClusterOptions) {
    const store = new Store(options);
    const access = new Access({ store, clock, random });
    const admission = new Admission([
      createByName(access),
      namespaceLifecycle(store),
      storageProtection,
      defaultStorageClass(store),
      podDefaults,
      podTolerations,
      claimResize(store),
      oldLabels,
      noEscalation(access.authorizer),
      policies(store, this.registry),
    ]);
    const writes = new Writes({ store, clock, random, admission });
    const resources = new ResourceRequests({ store, clock, access, writes, reads: new Reads(store) });
    this.store = store;
    this.access = access;
    this.server = new Server(access, this.registry, resources);
    const objectsAs = (manager: string) => new ServerObjects(writes, this.registry, store, manager);
    this.objects = objectsAs('sandbox');
    new Definitions({ objects: objectsAs('kube-apiserver'), registry: this.registry, clock });
    for (const name of FIRST_NAMESPACES) this.objects.create(NAMESPACES, { metadata: { name } });
    createFirstRoles(this.objects);
  }

  /** As this user, without a socket in between. */
  transport(user: User = ADMIN): Transport {
    return new InProcessTransport(this.server, user);
  }
}
