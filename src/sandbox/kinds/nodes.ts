/** Nodes. A new one is taken for not ready until somebody says otherwise. */
import { NODES } from '../../api/nodes.ts';
import { type ApiObject, listAt, textAt, valueAt, withValueAt } from '../api-object.ts';
import { builtIn } from './built-in.ts';
import { AGE, at, column, NAME, wide } from './columns.ts';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const ROLE = /^node-role\.kubernetes\.io\/(.+)$/;

function tainted(object: ApiObject): ApiObject {
  const taints = listAt(object, 'spec', 'taints');
  const isKnown = taints.some(
    (taint) => textAt(taint, 'key') === NOT_READY.key && textAt(taint, 'effect') === NOT_READY.effect,
  );
  return isKnown ? object : withValueAt(object, ['spec', 'taints'], [...taints, NOT_READY]);
}

function statusOf(object: ApiObject): string {
  const ready = listAt(object, 'status', 'conditions').find((condition) => textAt(condition, 'type') === 'Ready');
  const status = ready === undefined ? 'Unknown' : textAt(ready, 'status') === 'True' ? 'Ready' : 'NotReady';
  return valueAt(object, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

function rolesOf({ metadata: { labels = {} } }: ApiObject): string {
  const roles = Object.entries(labels).flatMap(
    ([key, value]) => ROLE.exec(key)?.[1] ?? (key === 'kubernetes.io/role' ? value : []),
  );
  return roles.sort().join(',') || '<none>';
}

const address = (type: string) => (object: ApiObject) => {
  const found = listAt(object, 'status', 'addresses').find((each) => textAt(each, 'type') === type);
  return textAt(found, 'address') || '<none>';
};

export const nodes = builtIn({
  resource: NODES,
  shortNames: ['no'],
  hasStatus: true,
  selectable: (object) => ({ 'spec.unschedulable': textAt(object, 'spec', 'unschedulable') || 'false' }),
  begun: tainted,
  columns: [
    NAME,
    column('Status', statusOf),
    column('Roles', rolesOf),
    AGE,
    column('Version', at('status.nodeInfo.kubeletVersion')),
    wide('Internal-IP', address('InternalIP')),
    wide('External-IP', address('ExternalIP')),
    wide('OS-Image', at('status.nodeInfo.osImage', '<unknown>')),
    wide('Kernel-Version', at('status.nodeInfo.kernelVersion', '<unknown>')),
    wide('Container-Runtime', at('status.nodeInfo.containerRuntimeVersion', '<unknown>')),
  ],
});
