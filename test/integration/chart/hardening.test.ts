/** Every pod of the chart may do as little as it can do with, and what it may do beyond that has a reason. */
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CHART, EVERYTHING, helm, type Rendered, type Values } from './helm.ts';

interface Pod {
  readonly hostPID?: boolean;
  readonly hostNetwork?: boolean;
  readonly hostIPC?: boolean;
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: { readonly runAsNonRoot?: boolean; readonly seccompProfile?: { readonly type: string } };
  readonly volumes?: readonly { readonly hostPath?: object }[];
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}

interface Container {
  readonly image: string;
  readonly resources?: { readonly requests?: object; readonly limits?: { readonly memory?: string } };
  readonly securityContext?: {
    readonly privileged?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
    readonly allowPrivilegeEscalation?: boolean;
    readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
  };
}

/** What a pod is not, and why. */
type Justified = Readonly<Record<string, string>>;

const inAll = ({ containers, initContainers = [] }: Pod, holds: (container: Container) => boolean): boolean =>
  [...containers, ...initContainers].every(holds);

/** What a pod could do without, by what it takes to see it. */
const HARDENED: Readonly<Record<string, (pod: Pod) => boolean>> = {
  'is not root': ({ securityContext }) => securityContext?.runAsNonRoot === true,
  'has the seccomp profile of the runtime': ({ securityContext }) =>
    securityContext?.seccompProfile?.type === 'RuntimeDefault',
  'sees no processes of the machine': ({ hostPID }) => hostPID !== true,
  'has no network of the machine': ({ hostNetwork, hostIPC }) => hostNetwork !== true && hostIPC !== true,
  'has no files of the machine': ({ volumes = [] }) => volumes.every(({ hostPath }) => hostPath === undefined),
  'is not privileged': (pod) => inAll(pod, ({ securityContext }) => securityContext?.privileged !== true),
  'cannot become more': (pod) =>
    inAll(pod, ({ securityContext }) => securityContext?.allowPrivilegeEscalation === false),
  'has no capabilities': (pod) =>
    inAll(
      pod,
      ({ securityContext: { capabilities: { drop = [], add = [] } = {} } = {} }) =>
        drop.includes('ALL') && add.length === 0,
    ),
  'cannot change its image': (pod) =>
    inAll(pod, ({ securityContext }) => securityContext?.readOnlyRootFilesystem === true),
  'is bounded in memory': (pod) => inAll(pod, ({ resources }) => resources?.limits?.memory !== undefined),
  'runs an image that cannot be replaced': (pod) => inAll(pod, ({ image }) => image.includes('@sha256:')),
};

/** Who opens disks and mounts filesystems in the sight of the machine is root there: docs/security.md says what stands against its misuse. */
const AGENT_OF_A_NODE: Justified = {
  'is not root': 'the kernel lets only root open disks and mount',
  'has the seccomp profile of the runtime': 'it forbids mount and setns, and a privileged container has none',
  'sees no processes of the machine': 'who uses a disk is seen in /proc',
  'is not privileged': 'disks come and go, and only a privileged container may open one that it was not started with',
  'cannot become more': 'it is privileged already',
  'has no capabilities': 'it is privileged already',
};

const JUSTIFIED: Readonly<Record<string, Justified>> = {
  devices: { ...AGENT_OF_A_NODE, 'has no files of the machine': '/dev, and the ledger of its disks' },
  lvm: { ...AGENT_OF_A_NODE, 'is bounded in memory': 'mkfs and cryptsetup take as much as the volume needs' },
};

/** Also those that only helm test runs. */
async function podsOf(values: Values): Promise<ReadonlyMap<string, Pod>> {
  const { code, stdout, stderr } = await helm(
    ['template', 'holdfast', CHART, '--namespace', 'holdfast', '-f', '-'],
    values,
  );
  if (code !== 0) throw new Error(stderr);
  const objects = parseAllDocuments(stdout)
    .map((document) => document.toJS() as Rendered | null)
    .filter((object) => object !== null);
  return new Map(
    objects.flatMap((object) => {
      const pod = podIn(object);
      return pod ? [[object.metadata.name.replace(/^holdfast-/, ''), pod]] : [];
    }),
  );
}

function podIn({ kind, spec }: Rendered): Pod | undefined {
  if (kind === 'Pod') return spec as Pod;
  return (spec as { readonly template?: { readonly spec?: Pod } } | undefined)?.template?.spec;
}

test('each is hardened in every respect but those that have a reason, and uses each exception that it has', async () => {
  const pods = await podsOf({ ...EVERYTHING, console: { enabled: true } });
  expect([...pods.keys()].toSorted()).toEqual(['console', 'devices', 'doctor', 'lvm', 'pool', 'sync', 'topology']);
  for (const [name, pod] of pods) {
    const lacking = Object.keys(HARDENED).filter((fact) => !HARDENED[fact]?.(pod));
    expect([name, lacking.toSorted()]).toEqual([name, Object.keys(JUSTIFIED[name] ?? {}).toSorted()]);
  }
});
