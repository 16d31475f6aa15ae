/**
 * Volumes with claims and pods that come and go in a cluster, for topology and sync: each gets the place of its pod as labels, and is
 * carried to the recovery cluster.
 */
import { createNode } from '../../../test/harness/played-pods.ts';
import type { RawClient } from '../../../test/harness/raw-client.ts';
import {
  aClaim,
  aVolume,
  type Claim,
  claimsIn,
  IN_SCOPE,
  VOLUMES,
  type Volume,
} from '../../../test/integration/sync/world.ts';
import { type PatientClient, patiently } from '../patient-client.ts';
import { type Churn, unless } from './churn.ts';

const NAMESPACE = 'soak';
const CLAIMS = claimsIn(NAMESPACE);
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const ZONE = 'topology.kubernetes.io/zone';
const ZONES = ['zone-a', 'zone-b', 'zone-c'];
const AT_ONCE = 150;
const READY = {
  status: {
    phase: 'Running',
    conditions: ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'True' })),
  },
};

export class VolumesChurn implements Churn {
  readonly name = 'volumes';
  readonly pauseMs = 1_500;
  readonly #here: PatientClient;
  readonly #there: PatientClient;
  #first = 0;
  #next = 0;

  constructor(here: PatientClient, there: PatientClient) {
    this.#here = here;
    this.#there = there;
  }

  async begin(admin: RawClient): Promise<void> {
    await this.#here.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await patiently('the service account of pods', async () => {
      if (!(await this.#here.find(`/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`)))
        throw new Error('none yet');
    });
    for (const zone of ZONES) await createNode(admin, nodeIn(zone), zone);
    while (this.#next < AT_ONCE) await this.#make();
  }

  async round(): Promise<void> {
    await this.#make();
    await this.#remove();
  }

  /** Every volume that is left is labelled, and the recovery cluster has exactly these, bound to their claims. */
  async audit(): Promise<readonly string[]> {
    const labelled = patiently('every volume to be labelled', async () => {
      const volumes = (await this.#here.list<Volume>(VOLUMES)).filter(isOurs);
      equal(
        volumes.map(placeIn),
        this.#numbers.map((number) => `${nameOf(number)} ${zoneOf(number)}`),
      );
    });
    const carried = patiently('every volume to be carried to the recovery cluster', async () => {
      equal(
        (await this.#there.list<Volume>(VOLUMES)).map(boundVolume),
        this.#numbers.map((number) => `${nameOf(number)} Bound`),
      );
    });
    const claimed = patiently('every claim to be carried to the recovery cluster', async () => {
      equal(
        (await this.#there.list<Claim>(CLAIMS)).map(boundVolume),
        this.#numbers.map((number) => `${nameOf(number)} Bound`),
      );
    });
    return (await Promise.all([labelled, carried, claimed].map(unless))).flat();
  }

  get #numbers(): readonly number[] {
    return Array.from({ length: this.#next - this.#first }, (_, index) => this.#first + index);
  }

  async #make(): Promise<void> {
    const number = this.#next++;
    const name = nameOf(number);
    const claimRef = { namespace: NAMESPACE, name };
    await this.#here.create(VOLUMES, aVolume(name, { claimRef, persistentVolumeReclaimPolicy: 'Retain' }, IN_SCOPE));
    await this.#here.create(CLAIMS, aClaim(name, { volumeName: name }));
    await this.#here.create(PODS, {
      metadata: { name },
      spec: {
        nodeName: nodeIn(zoneOf(number)),
        tolerations: [{ operator: 'Exists' }],
        containers: [{ name: 'web', image: 'web' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
      },
    });
    await this.#here.patch(`${PODS}/${name}/status`, READY);
  }

  async #remove(): Promise<void> {
    const name = nameOf(this.#first++);
    await this.#here.remove(`${PODS}/${name}`, { gracePeriodSeconds: 0 });
    await this.#here.remove(`${CLAIMS}/${name}`);
    await this.#here.remove(`${VOLUMES}/${name}`);
  }
}

const nameOf = (number: number): string => `soak-${String(number).padStart(6, '0')}`;
const zoneOf = (number: number): string => ZONES[number % ZONES.length] ?? '';
const nodeIn = (zone: string): string => `worker-in-${zone}`;
const isOurs = ({ metadata }: Volume): boolean => metadata.name.startsWith('soak-');
const placeIn = ({ metadata }: Volume): string => `${metadata.name} ${metadata.labels?.[ZONE]}`;
const boundVolume = ({ metadata, status }: Volume | Claim): string => `${metadata.name} ${status.phase}`;

/** Says how the two differ. */
function equal(found: readonly string[], wanted: readonly string[]): void {
  const [isThere, isWanted] = [new Set(found), new Set(wanted)];
  const missing = wanted.filter((each) => !isThere.has(each));
  const besides = found.filter((each) => !isWanted.has(each));
  if (missing.length + besides.length === 0) return;
  throw new Error(`missing: ${few(missing)}; there besides: ${few(besides)}`);
}

const few = (all: readonly string[]): string =>
  `${all.length}${all.length > 0 ? ` (${all.slice(0, 3).join(', ')}${all.length > 3 ? ', …' : ''})` : ''}`;
