/** How a person lifts the refusal of a device: what can be approved, and how that gets to its agent. */
import { NODES } from '../api/nodes.ts';
import { hasReason } from '../kit/kube/api-error.ts';
import type { KubeClient } from '../kit/kube/client.ts';
import { visible } from '../kit/visible.ts';
import { type Approval, type Approvals, formatApprovals, parseApprovals, withApproval } from './approvals.ts';
import { APPROVALS_ANNOTATION } from './contract.ts';
import { type Identity, isSame } from './identity.ts';
import type { ReadStanding } from './node-report.ts';
import { inWords, type Reported } from './status.ts';

/** One that can be approved: it is refused, for a fact that a person can know better about. */
export interface Approvable extends ReadStanding {
  readonly state: Extract<ReadStanding['state'], { is: 'refused' }>;
  readonly device: string;
  readonly identity: Identity;
}

/** Throws with what is so, and what to do instead, unless it waits for nothing but an approval. */
export function approvable(node: string, standing: ReadStanding): Approvable {
  const { state, device, identity, path } = standing;
  const name = `${visible(path)} of ${node}`;
  if (state.is !== 'refused')
    throw new Error(`${name} is not refused, so there is nothing to approve: it is ${visible(inWords(state))}`);
  const { why, remedy } = state;
  if (!state.canBeApproved) throw new Error(`${name} ${visible(why)}, which no approval changes. ${visible(remedy)}`);
  if (device === undefined || identity === undefined)
    throw new Error(`the agent of ${node} does not say which device ${visible(path)} is, so it cannot be approved`);
  return { ...standing, state, device, identity };
}

export interface GivenApproval {
  readonly node: string;
  readonly device: Approvable;
  readonly approval: Approval;
  /** What the person was shown. */
  readonly reported: Reported;
}

export const approvalFor = (
  { state, identity }: Approvable,
  { id, at }: { readonly id: string; readonly at: Date },
): Approval => ({ id, at: at.toISOString(), fact: state.fact, identity });

/** Each time, the Node is read again: somebody else may have written to it, which happens all the time. */
const MOST_ATTEMPTS = 10;

/** Writes it on the Node, with nothing else changed there. Says whether one was there that the agent has not got to yet. */
export async function giveApproval(
  { client, signal }: { readonly client: KubeClient; readonly signal: AbortSignal },
  { node, device, approval, reported }: GivenApproval,
): Promise<'already' | 'done'> {
  for (let attempt = 1; ; attempt++) {
    const found = await client.find(NODES, { name: node }, { signal });
    if (!found) throw new Error(`there is no node ${node}, only a report on it`);
    const { annotations = {}, uid = '', resourceVersion = '' } = found.metadata;
    const approvals = approvalsIn(annotations[APPROVALS_ANNOTATION], node);
    if (approvals[device.device]?.some((given) => isUnseen(given, device, reported))) return 'already';
    const text = formatApprovals(withApproval(approvals, device.device, approval, reported.report));
    try {
      const patch = { metadata: { annotations: { [APPROVALS_ANNOTATION]: text } } };
      await client.mergePatch(NODES, { name: node }, patch, { preconditions: { uid, resourceVersion }, signal });
      return 'done';
    } catch (error) {
      if (!hasReason(error, 'Conflict', 'NotFound') || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

function approvalsIn(text: string | undefined, node: string): Approvals {
  const approvals = parseApprovals(text);
  if (!('fault' in approvals)) return approvals;
  throw new Error(
    `the annotation ${APPROVALS_ANNOTATION} of ${node} cannot be understood, so nothing in it counts (${visible(`${approvals.fault}`)}); ` +
      `remove it first: kubectl annotate node ${node} ${APPROVALS_ANNOTATION}-`,
  );
}

/** A second approval before the agent has got to the first would be left over, for a refusal that nobody has seen yet. */
const isUnseen = (approval: Approval, { identity, state }: Approvable, { report }: Reported): boolean =>
  approval.fact === state.fact &&
  isSame(approval.identity, identity) &&
  Date.parse(approval.at) > Date.parse(report.at);
