/**
 * The provisioner that a cluster without disks has: a claim gets a volume that is a directory named after the claim's uid. A claim that is
 * made again under the same name is an empty disk, and one that was kept comes back with what it held.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Quantity } from '../../src/kit/quantity.ts';
import type { RawClient, RawObject } from './raw-client.ts';

const PROVISIONER = 'played.example.com';
const VOLUMES = '/api/v1/persistentvolumes';
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses';

export interface Claim extends RawObject {
  readonly metadata: RawObject['metadata'] & {
    readonly namespace: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly storageClassName: string;
    readonly resources: { readonly requests: { readonly storage: string } };
  };
  readonly status: { readonly phase: string; readonly capacity?: { readonly storage: string } };
}

interface Volume extends RawObject {
  readonly spec: { readonly csi?: { readonly driver: string; readonly volumeHandle: string } };
  readonly status: { readonly phase: string };
}

export interface ClassOptions {
  readonly expands?: boolean;
  readonly isDefault?: boolean;
}

export async function createClass(admin: RawClient, name: string, options: ClassOptions = {}): Promise<void> {
  const { expands = true, isDefault = false } = options;
  await admin.post(CLASSES, {
    metadata: { name, annotations: { 'storageclass.kubernetes.io/is-default-class': `${isDefault}` } },
    provisioner: PROVISIONER,
    allowVolumeExpansion: expands,
  });
}

export class PlayedVolumes {
  /** Whether a claim that asks for more gets it now. */
  mayGrow: (claim: string) => boolean = () => true;
  readonly #admin: RawClient;
  readonly #directory: string;

  constructor(admin: RawClient, directory: string) {
    this.#admin = admin;
    this.#directory = directory;
  }

  directoryOf(claimUid: string): string {
    return join(this.#directory, claimUid);
  }

  async round(claims: readonly Claim[]): Promise<void> {
    await Promise.all(claims.filter(isOurs).map((claim) => this.#serve(claim)));
    const { items } = await this.#admin.list<Volume>(VOLUMES);
    await Promise.all(items.filter(isReleased).map((volume) => this.#reclaim(volume)));
  }

  async #serve(claim: Claim): Promise<void> {
    if (claim.status.phase === 'Pending') await this.#provision(claim);
    else if (asksForMore(claim) && this.mayGrow(claim.metadata.name)) await this.#grow(claim);
  }

  async #provision({ metadata, spec }: Claim): Promise<void> {
    const { namespace, name, uid } = metadata;
    const directory = this.directoryOf(uid);
    await mkdir(directory, { recursive: true });
    const { status } = await this.#admin.request('POST', VOLUMES, {
      metadata: { name: `pvc-${uid}`, annotations: { 'pv.kubernetes.io/provisioned-by': PROVISIONER } },
      spec: {
        capacity: spec.resources.requests,
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: spec.storageClassName,
        csi: { driver: PROVISIONER, volumeHandle: uid },
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
      },
    });
    if (status !== 201 && status !== 409) throw new Error(`no volume for ${name}: the server answered ${status}`);
  }

  /** First the disk, then what the claim says of it. */
  async #grow({ metadata: { namespace, name, uid }, spec }: Claim): Promise<void> {
    const capacity = spec.resources.requests;
    await this.#admin.patch(`${VOLUMES}/pvc-${uid}`, { spec: { capacity } });
    const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}/status`;
    await this.#admin.patch(path, { status: { capacity } });
  }

  async #reclaim({ metadata: { name }, spec }: Volume): Promise<void> {
    await this.#admin.request('DELETE', `${VOLUMES}/${name}`);
    await rm(this.directoryOf(spec.csi?.volumeHandle ?? ''), { recursive: true, force: true });
  }
}

const isOurs = ({ metadata }: Claim): boolean =>
  metadata.annotations?.['volume.kubernetes.io/storage-provisioner'] === PROVISIONER && !metadata.deletionTimestamp;

const isReleased = ({ spec, status, metadata }: Volume): boolean =>
  spec.csi?.driver === PROVISIONER && status.phase === 'Released' && !metadata.deletionTimestamp;

const asksForMore = ({ spec, status }: Claim): boolean =>
  Quantity.parse(spec.resources.requests.storage).compare(Quantity.parse(status.capacity?.storage ?? '0')) > 0;
