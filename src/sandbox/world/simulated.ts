/** For tests: a cluster on virtual time with a world in it, and short words for what people do there. */
import { VirtualClock } from '../../kit/clock/virtual.ts';
import type { KubeObject, Resource } from '../../kit/kube/resource.ts';
import { EVENTS } from '../../kit/observe/event.ts';
import { Cluster } from '../cluster.ts';
import { seeded } from '../seeded.ts';
import { CLAIMS, CLASSES, type Claim, PODS, type Pod, VOLUMES, type Volume } from './resources.ts';
import { World } from './world.ts';

const NAMESPACE = 'default';

export class SimulatedWorld {
  readonly clock = new VirtualClock();
  readonly cluster: Cluster;
  readonly world: World;

  constructor(seed = 1) {
    const random = seeded(seed);
    this.cluster = new Cluster({ clock: this.clock, random });
    this.world = new World({ cluster: this.cluster, clock: this.clock, random });
  }

  get objects() {
    return this.cluster.objects;
  }

  async pass(seconds = 10): Promise<void> {
    await this.clock.advance(seconds * 1000);
  }

  node(name: string, labels: Readonly<Record<string, string>> = {}): void {
    this.world.addNode(name, labels);
  }

  storageClass(name: string, provisioner: string, volumeBindingMode = 'Immediate', more: object = {}): void {
    this.objects.create(CLASSES, { metadata: { name }, provisioner, volumeBindingMode, ...more });
  }

  volume(name: string, spec: Volume['spec'] = {}, metadata: KubeObject['metadata'] = {}): Volume {
    return this.objects.create(VOLUMES, {
      metadata: { name, ...metadata },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: '',
        csi: { driver: 'csi.example.com', volumeHandle: name },
        ...spec,
      },
    });
  }

  claim(name: string, spec: Claim['spec'] = {}): Claim {
    return this.objects.create(CLAIMS, {
      metadata: { name, namespace: NAMESPACE },
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: '',
        ...spec,
      },
    });
  }

  pod(name: string, claims: readonly string[] = [], spec: Pod['spec'] = {}): Pod {
    const volumes = claims.map((claimName, index) => ({ name: `v${index}`, persistentVolumeClaim: { claimName } }));
    return this.objects.create(PODS, {
      metadata: { name, namespace: NAMESPACE },
      spec: { containers: [{ name: 'main', image: 'example.com/any' }], volumes, ...spec },
    });
  }

  theVolume(name: string): Volume {
    return there(VOLUMES, this.objects.get(VOLUMES, name), name);
  }

  theClaim(name: string): Claim {
    return there(CLAIMS, this.objects.get(CLAIMS, `${NAMESPACE}/${name}`), name);
  }

  thePod(name: string): Pod {
    return there(PODS, this.objects.get(PODS, `${NAMESPACE}/${name}`), name);
  }

  /** The reasons and notes of the Events about an object. */
  toldOf(name: string): readonly string[] {
    return this.objects
      .list(EVENTS)
      .filter(({ regarding }) => regarding.name === name)
      .map(({ reason, note }) => `${reason}: ${note}`);
  }

  /** Why the scheduler has not placed a pod. */
  whyPending(pod: string): string | undefined {
    const condition = this.thePod(pod).status?.conditions?.find(({ type }) => type === 'PodScheduled');
    return condition?.status === 'False' ? condition.message : undefined;
  }
}

function there<T>({ kind }: Resource, object: T | undefined, name: string): T {
  if (!object) throw new Error(`there is no ${kind} ${name}`);
  return object;
}
