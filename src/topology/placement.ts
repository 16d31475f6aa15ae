/**
 * Which pods the scheduler will never place because of where their volumes are. Decides as its VolumeZone check does, and as its
 * check of a volume's node affinity does. Pure.
 */
import { type Taint, type Toleration, untolerated } from '../api/taints.ts';
import type { Labels } from '../kit/label-requirements.ts';
import { type NodeSelector, selectsNode } from '../kit/node-selectors.ts';
import { SEPARATOR, TOPOLOGY_LABELS } from './contract.ts';

export interface PlaceableNode {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
}

export interface WaitingPod {
  readonly pod: string;
  readonly claims: readonly string[];
  readonly nodeSelector: Labels;
  readonly affinity?: NodeSelector;
  readonly tolerations: readonly Toleration[];
}

export interface PlacedVolume {
  readonly name: string;
  readonly labels: Labels;
  readonly affinity?: NodeSelector;
}

export interface Unplaceable {
  readonly pod: string;
  readonly volumes: readonly string[];
  readonly why: string;
}

/** The labels of a volume that the scheduler looks at, the former names of zone and region included. */
const FORMER: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': TOPOLOGY_LABELS[0],
  'failure-domain.beta.kubernetes.io/region': TOPOLOGY_LABELS[1],
};
export const SCHEDULER_LABELS: readonly string[] = [...TOPOLOGY_LABELS, ...Object.keys(FORMER)];

/** Nothing when a node could take the pod, or when none could even if its volumes were everywhere: then they are not to blame. */
export function unplaceable(
  pod: WaitingPod,
  volumes: readonly PlacedVolume[],
  nodes: readonly PlaceableNode[],
): Unplaceable | undefined {
  const fits = (node: PlaceableNode) => takes(node, pod) && volumes.every((volume) => reaches(node, volume));
  if (nodes.some(fits)) return undefined;
  const candidates = nodes.filter((node) => takes(node, pod));
  if (candidates.length === 0) return undefined;
  const alone = volumes.filter((volume) => !candidates.some((node) => reaches(node, volume)));
  return alone.length > 0 ? nowhere(pod, alone, candidates) : apart(pod, volumes);
}

/** As far as the pod itself says: its selector, its affinity, and the taints that it tolerates. */
function takes({ name, labels, taints }: PlaceableNode, { nodeSelector, affinity, tolerations }: WaitingPod): boolean {
  const isSelected = Object.entries(nodeSelector).every(([key, value]) => labels[key] === value);
  const isLiked = !affinity || selectsNode(affinity, { name, labels });
  return isSelected && isLiked && untolerated(taints, tolerations) === undefined;
}

/** A node without any topology reaches every volume, as far as labels go: that is how the scheduler treats clusters of one zone. */
function reaches({ name, labels }: PlaceableNode, volume: PlacedVolume): boolean {
  if (volume.affinity && !selectsNode(volume.affinity, { name, labels })) return false;
  if (!SCHEDULER_LABELS.some((key) => labels[key] !== undefined)) return true;
  return Object.entries(placesOf(volume)).every(([key, values]) => {
    const value = labels[key] ?? labels[FORMER[key] ?? key];
    return value !== undefined && values.includes(value);
  });
}

/** A label that is empty, or has an empty part, is one that the scheduler cannot read, and ignores. */
function placesOf({ labels }: PlacedVolume): Readonly<Record<string, readonly string[]>> {
  const readable = SCHEDULER_LABELS.flatMap((key) => {
    const parts = labels[key]?.split(SEPARATOR).map((part) => part.trim());
    return parts && !parts.includes('') ? [[key, parts] as const] : [];
  });
  return Object.fromEntries(readable);
}

function nowhere(pod: WaitingPod, volumes: readonly PlacedVolume[], candidates: readonly PlaceableNode[]): Unplaceable {
  const places = [...new Set(candidates.map(({ labels }) => placeText(labels) || 'no zone'))].sort();
  const where = volumes.map(describe).join('; ');
  const why = `${where}; the nodes that would take the pod are in ${places.join(', ')}`;
  return { pod: pod.pod, volumes: volumes.map(({ name }) => name), why };
}

function apart(pod: WaitingPod, volumes: readonly PlacedVolume[]): Unplaceable {
  const why = `no node reaches all of its volumes: ${volumes.map(describe).join('; ')}`;
  return { pod: pod.pod, volumes: volumes.map(({ name }) => name), why };
}

function describe({ name, labels, affinity }: PlacedVolume): string {
  const place = placeText(labels);
  if (place !== '') return `volume ${name} is in ${place}`;
  return affinity ? `volume ${name} has a node affinity` : `volume ${name} can be anywhere`;
}

/** `a or b (region r)`: whichever of the two there is, under its present or its former name. */
function placeText(labels: Labels): string {
  const [zone, region] = TOPOLOGY_LABELS.map((key) => {
    const former = Object.keys(FORMER).find((each) => FORMER[each] === key) ?? '';
    return (labels[key] ?? labels[former] ?? '').split(SEPARATOR).join(' or ');
  });
  return region ? `${zone || 'any zone'} (region ${region})` : (zone ?? '');
}
