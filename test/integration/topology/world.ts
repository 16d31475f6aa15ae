/**
 * What the topology job looks at: nodes, volumes, claims and pods on a real API server. There is no kubelet, so the test says which
 * pod is ready. Names begin with the world's own, so that tests share a control plane and not their objects.
 */
import type { RawClient, RawObject } from '../../harness/raw-client.ts';
import { eventually } from '../../harness/wait.ts';

export const ZONE = 'topology.kubernetes.io/zone';
export const REGION = 'topology.kubernetes.io/region';

/** Every volume of a world carries its name in this label, so that `--selector` finds them. */
export const WORLD = 'test.example.com/world';

export type Labels = Readonly<Record<string, string>>;

export interface Place {
  readonly name?: string;
  readonly zone?: string;
  readonly region?: string;
  readonly labels?: Labels;
  readonly cpu?: number;
}

export interface VolumeOptions {
  readonly name?: string;
  readonly type?: keyof typeof SOURCES;
  readonly modes?: readonly string[];
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly finalizers?: readonly string[];
  /** Whose disk a local volume is on. */
  readonly node?: string;
  /** A claim that it is reserved for. */
  readonly claim?: string;
}

export interface PodOptions {
  readonly claims?: readonly string[];
  /** Where it runs; without one it is for the scheduler to say. */
  readonly node?: string;
  readonly nodeSelector?: Labels;
  readonly cpu?: number | string;
  /** Ephemeral volumes, by their names in the pod. */
  readonly ephemeral?: readonly string[];
}

export interface Volume extends RawObject {
  readonly metadata: RawObject['metadata'] & { readonly labels?: Labels; readonly annotations?: Labels };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: { readonly phase: string };
}

export interface Pod extends RawObject {
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

const SOURCES = {
  csi: (name: string) => ({ csi: { driver: 'csi.example.com', volumeHandle: name } }),
  nfs: (name: string) => ({ nfs: { server: 'nfs.example.com', path: `/${name}` } }),
  hostPath: (name: string) => ({ hostPath: { path: `/srv/${name}` } }),
  local: (name: string) => ({ local: { path: `/mnt/${name}` } }),
};

export const VOLUMES = '/api/v1/persistentvolumes';
const NODES = '/api/v1/nodes';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const PODS = '/api/v1/namespaces/default/pods';

const ONE_GIB = { storage: '1Gi' };

export interface WorldOptions {
  readonly name: string;
  readonly admin: RawClient;
  /** Whether a PV controller runs, which binds claims and lets go of what was deleted; otherwise the world does. */
  readonly controllers?: boolean;
}

export class World {
  readonly name: string;
  readonly #admin: RawClient;
  readonly #controllers: boolean;
  readonly #counts = new Map<string, number>();

  constructor({ name, admin, controllers = false }: WorldOptions) {
    this.name = name;
    this.#admin = admin;
    this.#controllers = controllers;
  }

  /** Chooses this world's volumes, as a flag. */
  get selector(): string {
    return `--selector=${WORLD}=${this.name}`;
  }

  async node({ name = this.#next('node'), zone, region, labels, cpu = 8 }: Place = {}): Promise<string> {
    const metadata = {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        ...(zone && { [ZONE]: zone }),
        ...(region && { [REGION]: region }),
        ...labels,
      },
    };
    await this.#admin.post(NODES, { metadata });
    const resources = { cpu: `${cpu}`, memory: '64Gi', pods: '110' };
    const conditions = [{ type: 'Ready', status: 'True', reason: 'Test', lastHeartbeatTime: new Date() }];
    await this.#admin.patch(`${NODES}/${name}/status`, {
      status: { capacity: resources, allocatable: resources, conditions },
    });
    await this.#admin.patch(`${NODES}/${name}`, { spec: { taints: null } });
    return name;
  }

  /** `null` removes a label. */
  async labelNode(node: string, labels: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#admin.patch(`${NODES}/${node}`, { metadata: { labels } });
  }

  async volume(options: VolumeOptions = {}): Promise<string> {
    const { name = this.#next('volume'), type = 'csi', modes = ['ReadWriteOnce'], node, claim } = options;
    const { labels, annotations, finalizers } = options;
    await this.#admin.post(VOLUMES, {
      metadata: {
        name,
        labels: { [WORLD]: this.name, ...labels },
        ...(annotations && { annotations }),
        ...(finalizers && { finalizers }),
      },
      spec: {
        ...SOURCES[type](name),
        capacity: ONE_GIB,
        accessModes: modes,
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: '',
        ...(claim && { claimRef: { namespace: 'default', name: claim } }),
        ...(node && { nodeAffinity: { required: onHost(node) } }),
      },
    });
    return name;
  }

  /** A claim that is bound to the volume, or, without one, waits for any that is reserved for it. */
  async claim(volume?: string, name?: string): Promise<string> {
    const claim = await this.askFor(volume, name);
    if (volume !== undefined) await this.#bound(volume, claim);
    return claim.metadata.name;
  }

  /** A claim that wants the volume, whether it gets it or not. */
  async askFor(volume?: string, name = this.#next('claim')): Promise<RawObject> {
    const accessModes = volume === undefined ? ['ReadWriteOnce'] : (await this.look(volume)).spec.accessModes;
    return await this.#admin.post(CLAIMS, {
      metadata: { name },
      spec: {
        accessModes,
        resources: { requests: ONE_GIB },
        storageClassName: '',
        ...(volume ? { volumeName: volume } : { selector: { matchLabels: { [WORLD]: name } } }),
      },
    });
  }

  async pod(options: PodOptions = {}): Promise<string> {
    const { claims = [], node, nodeSelector, cpu = '100m', ephemeral = [] } = options;
    const name = this.#next('pod');
    await this.#admin.post(PODS, {
      metadata: { name },
      spec: {
        automountServiceAccountToken: false,
        containers: [{ name: 'main', image: 'example.com/any', resources: { requests: { cpu: `${cpu}` } } }],
        volumes: [
          ...claims.map((claimName, i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName } })),
          ...ephemeral.map((each) => ({ name: each, ephemeral: { volumeClaimTemplate: TEMPLATE } })),
        ],
        ...(node && { nodeName: node }),
        ...(nodeSelector && { nodeSelector }),
      },
    });
    return name;
  }

  /** Plays the kubelet: the pod runs, and is ready since then. */
  async ready(pod: string, since = new Date()): Promise<void> {
    await this.#condition(pod, 'True', since);
  }

  async unready(pod: string): Promise<void> {
    await this.#condition(pod, 'False', new Date());
  }

  /** It has done its work and will never run again. */
  async ended(pod: string): Promise<void> {
    await this.#admin.patch(`${PODS}/${pod}/status`, { status: { phase: 'Succeeded' } });
  }

  /** A volume, its claim, and a pod on the node that is ready. */
  async used(node: string, options: VolumeOptions = {}): Promise<{ volume: string; claim: string; pod: string }> {
    const volume = await this.volume(options);
    const claim = await this.claim(volume);
    const pod = await this.readyPod(node, claim);
    return { volume, claim, pod };
  }

  async readyPod(node: string, claim: string, since?: Date): Promise<string> {
    const pod = await this.pod({ claims: [claim], node });
    await this.ready(pod, since);
    return pod;
  }

  /** Where the scheduler has put it; nothing as long as it has not. */
  async nodeOf(pod: string): Promise<string | undefined> {
    return (await this.#admin.get<Pod>(`${PODS}/${pod}`)).spec.nodeName;
  }

  /** Why the scheduler has not placed it; nothing as long as it has not said. */
  async whyPending(pod: string): Promise<string | undefined> {
    const { status } = await this.#admin.get<Pod>(`${PODS}/${pod}`);
    return status.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')?.message;
  }

  async removePod(pod: string): Promise<void> {
    await this.#admin.delete(`${PODS}/${pod}`, { gracePeriodSeconds: 0 });
    await this.#gone(`${PODS}/${pod}`);
  }

  async removeClaim(claim: string): Promise<void> {
    await this.#remove(`${CLAIMS}/${claim}`);
  }

  async removeVolume(volume: string): Promise<void> {
    await this.#remove(`${VOLUMES}/${volume}`);
  }

  look(volume: string): Promise<Volume> {
    return this.#admin.get<Volume>(`${VOLUMES}/${volume}`);
  }

  /** The labels of a volume, without the one that every volume of a world has. */
  async labelsOf(volume: string): Promise<Labels> {
    const { [WORLD]: _, ...labels } = (await this.look(volume)).metadata.labels ?? {};
    return labels;
  }

  /** Waits until the volume has exactly these labels beside the world's. */
  async hasLabels(volume: string, labels: Labels): Promise<void> {
    await eventually(async () => same(await this.labelsOf(volume), labels), { for: `${volume} to be labelled` });
  }

  /** Whatever came before has been looked at when a volume that comes after it is labelled. */
  async settled(): Promise<void> {
    const node = await this.node({ zone: 'settled' });
    const { volume } = await this.used(node);
    await this.hasLabels(volume, { [ZONE]: 'settled' });
  }

  /** Changes a volume as `manager`, who is not us. */
  async edit(volume: string, change: object, manager = 'somebody-else'): Promise<void> {
    await this.#admin.patch(`${VOLUMES}/${volume}?fieldManager=${manager}`, change);
  }

  async events(name: string): Promise<readonly TopologyEvent[]> {
    const { items } = await this.#admin.list<TopologyEvent>('/apis/events.k8s.io/v1/namespaces/default/events');
    return items.filter(
      ({ regarding, reportingController }) =>
        regarding.name === name && reportingController === 'holdfast.dev/topology',
    );
  }

  #next(kind: string): string {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return `${this.name}-${kind}-${count}`;
  }

  async #bound(volume: string, { metadata: { name, uid } }: RawObject): Promise<void> {
    if (!this.#controllers) {
      await this.#admin.patch(`${VOLUMES}/${volume}`, { spec: { claimRef: { namespace: 'default', name, uid } } });
      await this.#admin.patch(`${VOLUMES}/${volume}/status`, { status: { phase: 'Bound' } });
      await this.#admin.patch(`${CLAIMS}/${name}/status`, { status: { phase: 'Bound' } });
    }
    await eventually(async () => (await this.look(volume)).status.phase === 'Bound', { for: `${volume} to be bound` });
  }

  async #condition(pod: string, status: 'True' | 'False', since: Date): Promise<void> {
    const conditions = [{ type: 'Ready', status, lastTransitionTime: since }];
    const body = { status: { phase: 'Running', conditions } };
    await this.#admin.patch(`${PODS}/${pod}/status`, body, 'strategic-merge');
  }

  async #remove(path: string): Promise<void> {
    await this.#admin.delete(path);
    if (!this.#controllers) await this.#admin.request('PATCH', path, LET_GO, 'application/merge-patch+json');
    await this.#gone(path);
  }

  async #gone(path: string): Promise<void> {
    await eventually(async () => (await this.#admin.request('GET', path)).status === 404, {
      for: `${path} to be gone`,
    });
  }
}

export interface TopologyEvent extends RawObject {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly kind: string; readonly name: string; readonly uid: string };
  readonly reportingController: string;
}

const LET_GO = { metadata: { finalizers: null } };

const TEMPLATE = {
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: ONE_GIB }, storageClassName: '' },
};

const onHost = (node: string) => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] }],
});

function same(is: Labels, wanted: Labels): boolean {
  const sorted = (labels: Labels) => JSON.stringify(Object.entries(labels).sort());
  if (sorted(is) !== sorted(wanted)) throw new Error(`it has ${sorted(is)} and should have ${sorted(wanted)}`);
  return true;
}
