/**
 * What nobody but the operator may do: change which pods the StatefulSet of a pool has. Whoever else lowers its replicas takes agents away
 * that have not handed over what they hold.
 */
import { STATEFUL_SETS } from '../api/stateful-sets.ts';
import type { Guard } from '../kit/manifests/guards.ts';
import { celText } from '../kit/manifests/node-limits.ts';
import { POOL_LABEL, PV_POOLS } from './contract.ts';
import { statefulSetNameOf } from './names.ts';

const OWNER = [
  'oldObject.metadata.?ownerReferences.orValue([])',
  `.filter(each, each.?controller.orValue(false) && each.kind == ${celText(PV_POOLS.kind)}`,
  ` && each.apiVersion.startsWith(${celText(`${PV_POOLS.group}/`)}))`,
].join('');

const SELECTOR = "oldObject.?status.?selector.orValue('')";
const SELECTS = `${POOL_LABEL}=`;

const sentence = (otherwise = ''): string =>
  [
    celText('Only the operator of pools changes how many pods the StatefulSet '),
    'request.name',
    celText(' has, since agents hand over what they hold before they leave: use kubectl scale pvpool '),
    'variables.pool',
    celText(` --replicas=N${otherwise}`),
  ].join(' + ');

/** Where ordinals start decides which pods there are, too. */
const replicas: Guard = {
  name: 'replicas',
  resource: STATEFUL_SETS,
  guarded: `${OWNER}.size() > 0`,
  variables: [{ name: 'pool', expression: `${OWNER}[0].name` }],
  holds: ['replicas', 'ordinals'].map((field) => `object.spec.?${field} == oldObject.spec.?${field}`).join(' && '),
  sentence: sentence(),
};

/** What is scaled says of itself only its name and which pods it selects. */
const scale: Guard = {
  name: 'scale',
  resource: STATEFUL_SETS,
  subresource: 'scale',
  guarded: `${SELECTOR}.startsWith(${celText(SELECTS)}) && request.name == ${SELECTOR}.substring(${SELECTS.length}) + ${celText(statefulSetNameOf(''))}`,
  variables: [{ name: 'pool', expression: `${SELECTOR}.substring(${SELECTS.length})` }],
  holds: 'object.?spec.?replicas.orValue(0) == oldObject.?spec.?replicas.orValue(0)',
  sentence: sentence('. If that pool is gone, set spec.replicas of the StatefulSet itself'),
};

export const poolGuards: readonly Guard[] = [replicas, scale];
