/** Taints of nodes, and the pods that do not mind them. Decides as the scheduler does. */

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

/** The first taint that keeps a pod with these tolerations from being placed. */
export function untolerated(taints: readonly Taint[], tolerations: readonly Toleration[]): Taint | undefined {
  const keepsAway = ({ effect }: Taint) => effect === 'NoSchedule' || effect === 'NoExecute';
  return taints.find((taint) => keepsAway(taint) && !tolerations.some((each) => tolerates(each, taint)));
}

function tolerates({ key = '', operator = 'Equal', value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || (operator === 'Equal' && value === (taint.value ?? ''));
}
