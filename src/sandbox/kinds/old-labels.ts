/** Labels of nodes that have another name by now, and since when. */

export interface OldLabel {
  readonly now: string;
  readonly since: string;
}

export const OLD_LABELS: Readonly<Record<string, OldLabel>> = {
  'failure-domain.beta.kubernetes.io/zone': { now: 'topology.kubernetes.io/zone', since: 'v1.17' },
  'failure-domain.beta.kubernetes.io/region': { now: 'topology.kubernetes.io/region', since: 'v1.17' },
  'beta.kubernetes.io/instance-type': { now: 'node.kubernetes.io/instance-type', since: 'v1.17' },
  'beta.kubernetes.io/os': { now: 'kubernetes.io/os', since: 'v1.14' },
  'beta.kubernetes.io/arch': { now: 'kubernetes.io/arch', since: 'v1.14' },
};
