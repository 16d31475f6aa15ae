/** What is known about a volume when it is decided about, and where that is looked up. */
import type { View } from '../kit/cache/store.ts';
import type { Labels } from '../kit/label-requirements.ts';
import type { MountingPod, NodeLabels, Volume } from './cached.ts';

export interface Seen {
  readonly volume: Volume;
  /** Whether the volume and a claim agree that they belong together. */
  readonly binding: 'unclaimed' | 'claimIsGone' | 'claimIsElsewhere' | 'bound';
  /** The pods that mount it and have not ended; none unless it is bound. */
  readonly users: readonly User[];
}

export interface User {
  /** `namespace/name`. */
  readonly pod: string;
  /** Missing while it has not been placed. */
  readonly node?: string;
  /** As a time in milliseconds; missing while it is not ready. */
  readonly readySince?: number;
  /** Of its node; missing when there is no such node. */
  readonly labels?: Labels;
}

export interface TopologyViews {
  readonly volumes: View<Volume>;
  /** The name of the volume that each claim has. */
  readonly claims: View<string>;
  readonly pods: View<MountingPod, 'claim' | 'node'>;
  readonly nodes: View<NodeLabels>;
}

/** Nothing when there is no such volume, or it is not one of those that were chosen. */
export function look(views: TopologyViews, name: string): Seen | undefined {
  const volume = views.volumes.get(name);
  if (!volume) return undefined;
  const binding = bindingOf(views, name, volume);
  const users = binding === 'bound' ? usersOf(views, volume.claim?.key ?? '') : [];
  return { volume, binding, users };
}

/** A claim that was deleted and made anew is another one, whose pods have nothing to do with this volume. */
function bindingOf({ claims }: TopologyViews, name: string, { claim }: Volume): Seen['binding'] {
  if (!claim) return 'unclaimed';
  const volumeName = claims.get(claim.key);
  if (volumeName === undefined) return 'claimIsGone';
  if (claim.uid !== undefined && claims.identityOf(claim.key)?.uid !== claim.uid) return 'claimIsGone';
  return volumeName === name && claim.uid !== undefined ? 'bound' : 'claimIsElsewhere';
}

function usersOf({ pods, nodes }: TopologyViews, claim: string): readonly User[] {
  return pods.keysBy('claim', claim).map((pod) => {
    const { node, readySince } = pods.get(pod) ?? {};
    const labels = node === undefined ? undefined : nodes.get(node);
    return {
      pod,
      ...(node !== undefined && { node }),
      ...(readySince !== undefined && { readySince }),
      ...(labels && { labels }),
    };
  });
}
