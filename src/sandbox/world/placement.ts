/** Where a pod can run, and in the scheduler's words why not: taints, selectors, the zones and node affinity of its volumes. Pure. */
import { untolerated } from '../../api/taints.ts';
import { nodeSelectorOf, selectsNode } from '../../kit/node-selectors.ts';
import { bestMatch, isReachable } from './matching.ts';
import { type Claim, type Class, labelsOf, type Node, type Pod, type Volume } from './resources.ts';

const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/** What the pod's claims are: each with its volume, or the class that tells when it gets one. */
export interface Wanted {
  readonly claim: Claim;
  readonly volume?: Volume;
  readonly storageClass?: Class;
}

export interface Considered {
  readonly pod: Pod;
  readonly wanted: readonly Wanted[];
  readonly volumes: readonly Volume[];
}

const ZONED = [
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
];
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** The first reason that keeps it from the node, in the order in which the scheduler asks. */
export function obstacle({ pod, wanted, volumes }: Considered, node: Node): string | undefined {
  const { spec = {} } = node;
  const tolerations = pod.spec?.tolerations ?? [];
  if (spec.unschedulable && untolerated([CORDON], tolerations)) return 'node(s) were unschedulable';
  if (!isSelected(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  if (untolerated(spec.taints ?? [], tolerations)) return 'node(s) had untolerated taint(s)';
  const bound = wanted.flatMap(({ volume }) => volume ?? []);
  if (!bound.every((volume) => isReachable(volume, node)))
    return "node(s) didn't match PersistentVolume's node affinity";
  if (!wanted.every((one) => one.volume || canBeMade(one) || bestMatch(one.claim, volumes, node)))
    return "node(s) didn't find available persistent volumes to bind";
  return bound.every((volume) => isInZone(volume, node)) ? undefined : 'node(s) had no available volume zone';
}

/** Nothing, or why it cannot be placed anywhere. */
export function placementFault(considered: Considered, nodes: readonly Node[]): string {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const why = obstacle(considered, node) ?? '';
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  const reasons = [...counts].map(([why, count]) => `${count} ${why}`).sort();
  const none = `0/${nodes.length} nodes are available`;
  if (nodes.length === 0) return 'no nodes available to schedule pods';
  return `${none}: ${reasons.join(', ')}. no new claims to deallocate, preemption: ${none}: ${nodes.length} Preemption is not helpful for scheduling.`;
}

/** A label of a volume may name several places, `a__b`: it can be reached from each of them. */
function isInZone(volume: Volume, node: Node): boolean {
  const zoned = ZONED.flatMap((key) => (labelsOf(volume)[key] === undefined ? [] : [key]));
  if (zoned.length === 0 || ZONED.every((key) => labelsOf(node)[key] === undefined)) return true;
  return zoned.every((key) => (labelsOf(volume)[key] ?? '').split('__').includes(labelsOf(node)[key] ?? ''));
}

const canBeMade = ({ storageClass }: Wanted): boolean =>
  storageClass?.provisioner !== undefined && storageClass.provisioner !== NO_PROVISIONER;

function isSelected({ spec }: Pod, node: Node): boolean {
  const labels = labelsOf(node);
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value) &&
    (!required || selectsNode(nodeSelectorOf(required), { name: node.metadata.name ?? '', labels }))
  );
}
