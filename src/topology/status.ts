/** How all volumes stand: where they are, which have no place and why, and which pods wait for a place that there is not. */
import { NODES, type Node } from '../api/nodes.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../api/persistent-volumes.ts';
import { hasEnded, namedClaimsOf, PODS, type Pod } from '../api/pods.ts';
import type { View } from '../kit/cache/store.ts';
import { nodeSelectorOf } from '../kit/node-selectors.ts';
import { topologyViews, type ViewSource } from './cached.ts';
import { type Policy, REGION, ZONE } from './contract.ts';
import { type Decision, decide } from './decide.ts';
import {
  type PlaceableNode,
  type PlacedVolume,
  SCHEDULER_LABELS,
  type Unplaceable,
  unplaceable,
  type WaitingPod,
} from './placement.ts';
import { explain, type Fact } from './reasons.ts';
import { look, type TopologyViews } from './seen.ts';

export interface VolumeStatus {
  readonly volume: string;
  readonly claim: string;
  readonly zone: string;
  readonly region: string;
  /** `toBeLabelled` while the job has not got to it, or does not run. */
  readonly state: Fact | 'toBeLabelled';
  readonly why: string;
}

export interface TopologyStatus {
  readonly volumes: readonly VolumeStatus[];
  readonly unplaceable: readonly Unplaceable[];
}

export interface StatusViews extends TopologyViews {
  readonly waiting: View<WaitingPod>;
  readonly placeable: View<PlaceableNode>;
  readonly placed: View<PlacedVolume>;
}

/** All volumes are looked at for the pods that wait; `selector` chooses those whose standing is told. */
export const statusViews = (source: ViewSource, { labelKeys }: Policy, selector = ''): StatusViews => ({
  ...topologyViews(source, labelKeys, selector),
  waiting: source.view(PODS, { project: waitingPodOf }),
  placeable: source.view(NODES, { project: placeableNodeOf }),
  placed: source.view(PERSISTENT_VOLUMES, { project: placedVolumeOf }),
});

export function topologyStatus(views: StatusViews, policy: Policy): TopologyStatus {
  const nodes = [...views.placeable.values()];
  const pods = [...views.waiting.values()].sort((a, b) => (a.pod < b.pod ? -1 : 1));
  return {
    volumes: [...views.volumes.keys()].sort().map((name) => volumeStatus(views, name, policy)),
    unplaceable: pods.flatMap((pod) => unplaceable(pod, volumesOf(views, pod), nodes) ?? []),
  };
}

/** Of a volume that is in the view. */
export function volumeStatus(views: TopologyViews, name: string, policy: Policy): VolumeStatus {
  const seen = look(views, name);
  if (!seen) throw new Error(`volume ${name} has gone from a view that does not change`);
  const { labels, claim } = seen.volume;
  const decision = decide(seen, policy);
  const state = decision.do === 'label' ? 'toBeLabelled' : decision.because.fact;
  return {
    volume: name,
    claim: claim?.key ?? '',
    zone: labels[ZONE] ?? '',
    region: labels[REGION] ?? '',
    state,
    why: whyOf(decision),
  };
}

function whyOf(decision: Decision): string {
  if (decision.do === 'nothing') return explain(decision.because);
  const labels = Object.entries(decision.labels).map(([key, value]) => `${key}=${value}`);
  const what = [...labels, ...(decision.nodeAffinity ? ['a node affinity'] : [])].join(', ');
  return `it is to get ${what}: is holdfast topology running?`;
}

/** Of the claims that are bound: the others may still get a volume anywhere. */
const volumesOf = ({ claims, placed }: StatusViews, pod: WaitingPod): readonly PlacedVolume[] =>
  pod.claims.flatMap((claim) => placed.get(claims.get(claim) ?? '') ?? []);

/** A pod that names claims and has no node yet; the scheduler does not ask where the volumes are that are made for it. One that failed before it got one waits for nothing. */
function waitingPodOf(pod: Pod): WaitingPod | undefined {
  const { metadata, spec } = pod;
  const claims = [...new Set(namedClaimsOf(pod))].map((claim) => `${metadata.namespace}/${claim}`);
  if (spec?.nodeName || hasEnded(pod) || claims.length === 0) return undefined;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    pod: `${metadata.namespace}/${metadata.name}`,
    claims,
    nodeSelector: spec?.nodeSelector ?? {},
    ...(required && { affinity: nodeSelectorOf(required) }),
    tolerations: spec?.tolerations ?? [],
  };
}

/** A node that is cordoned has the taint for it, too, in a moment at the latest. */
const placeableNodeOf = ({ metadata, spec }: Node): PlaceableNode => ({
  name: metadata.name ?? '',
  labels: metadata.labels ?? {},
  taints: spec?.taints ?? [],
});

function placedVolumeOf({ metadata, spec }: PersistentVolume): PlacedVolume {
  const labels = SCHEDULER_LABELS.flatMap((key) => {
    const value = metadata.labels?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  const required = spec?.nodeAffinity?.required;
  return {
    name: metadata.name ?? '',
    labels: Object.fromEntries(labels),
    ...(required && { affinity: nodeSelectorOf(required) }),
  };
}
