/** What people are told in Events: on the volume while there is one, else on the Node. */
import { NODES } from '../api/nodes.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import type { Occurrence } from '../kit/observe/event.ts';
import { type ObjectReference, referenceTo } from '../kit/observe/reference.ts';
import type { OwnNode } from './desired.ts';
import type { Receipt } from './ledger/entry.ts';
import type { Trouble } from './standings.ts';

export interface About {
  readonly name: string;
  readonly uid: string;
}

const aboutVolume = ({ name, uid }: About): ObjectReference =>
  referenceTo(PERSISTENT_VOLUMES, { metadata: { name, uid } });

const aboutNode = ({ name, uid }: OwnNode): ObjectReference => referenceTo(NODES, { metadata: { name, uid } });

/** Of what is no refusal. Each is explained in explanations.ts, as the refusals are. */
export type EventReason =
  | 'DeviceWipeFailed'
  | 'DeviceWipeStarted'
  | 'DeviceWiped'
  | 'DeviceProvisioned'
  | 'DevicesConfigurationWrong'
  | 'DevicesConfigurationIgnored'
  | 'DevicesApprovalsWrong'
  | 'DevicesApprovalUsed';

type Told = Occurrence<EventReason>;

/** `isMounted` becomes `DeviceIsMounted`, and so does what begins with the word itself: reasons are searched for by machines. */
export const reasonOf = (fact: Trouble): string =>
  `Device${fact.charAt(0).toUpperCase()}${fact.slice(1)}`.replace(/^DeviceDevice/, 'Device');

export function refused(
  regarding: About | undefined,
  node: OwnNode,
  {
    fact,
    path,
    why,
    remedy,
  }: { readonly fact: Trouble; readonly path: string; readonly why: string; readonly remedy: string },
): Occurrence {
  const note = `${path} ${why}. ${remedy}`;
  const object = regarding ? aboutVolume(regarding) : aboutNode(node);
  return { regarding: object, type: 'Warning', reason: reasonOf(fact), action: 'Wipe', note };
}

export function failed(regarding: About | undefined, node: OwnNode, path: string, why: string): Told {
  const note = `The device ${path} could not be wiped: ${why}. It is tried again, and is no volume until it is clean`;
  const object = regarding ? aboutVolume(regarding) : aboutNode(node);
  return { regarding: object, type: 'Warning', reason: 'DeviceWipeFailed', action: 'Wipe', note };
}

export function wipeBegins(volume: About, path: string, method: string): Told {
  const note = `The claim is gone: ${path} is wiped (${method}), and then becomes a new volume`;
  return { regarding: aboutVolume(volume), type: 'Normal', reason: 'DeviceWipeStarted', action: 'Wipe', note };
}

export function wiped(volume: About, path: string, receipt: Receipt): Told {
  const { method, seconds } = receipt;
  const note = `${path} is wiped (${method}, in ${seconds} s): ${extentOf(receipt)}`;
  return { regarding: aboutVolume(volume), type: 'Normal', reason: 'DeviceWiped', action: 'Wipe', note };
}

/** What was only discarded is not said to be verified. */
function extentOf({ bytes, writtenBytes, verified, verifiedBytes }: Receipt): string {
  const discarded = bytes > writtenBytes ? `${bytes} bytes discarded, ` : '';
  const how = verified === 'all' ? 'all of them' : `samples of ${verifiedBytes} bytes`;
  return `${discarded}${writtenBytes} bytes written and ${how} read back`;
}

export function made(volume: About, path: string): Told {
  const note = `The device ${path} became this volume`;
  return { regarding: aboutVolume(volume), type: 'Normal', reason: 'DeviceProvisioned', action: 'Provision', note };
}

export function configurationIsWrong(node: OwnNode, configMap: string, fault: string): Told {
  const note = `The ConfigMap ${configMap} cannot be used, so no device is touched: ${fault}`;
  return {
    regarding: aboutNode(node),
    type: 'Warning',
    reason: 'DevicesConfigurationWrong',
    action: 'Configure',
    note,
  };
}

export function configurationWarning(node: OwnNode, configMap: string, warning: string): Told {
  const note = `The ConfigMap ${configMap}: ${warning}`;
  return {
    regarding: aboutNode(node),
    type: 'Warning',
    reason: 'DevicesConfigurationIgnored',
    action: 'Configure',
    note,
  };
}

export function approvalsAreWrong(node: OwnNode, fault: string): Told {
  const note = `The approvals on this Node cannot be read, so none of them counts: ${fault}. Write them by holdfast devices approve`;
  return { regarding: aboutNode(node), type: 'Warning', reason: 'DevicesApprovalsWrong', action: 'Approve', note };
}

export function approvalUsed(node: OwnNode, path: string, why: string): Told {
  const note = `${path} is wiped although it ${why}: a person approved it. The approval is used up`;
  return { regarding: aboutNode(node), type: 'Normal', reason: 'DevicesApprovalUsed', action: 'Wipe', note };
}
