/** What the agent of a node may write: volumes that are of its own devices, and the report of its own node. */
import { CONFIG_MAPS } from '../api/config-maps.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { each, labelIn, reportLimit, rightOrLeft } from '../kit/manifests/cel-rules.ts';
import { celText, type NodeLimit, type NodeRule } from '../kit/manifests/node-limits.ts';
import { HOSTNAME_LABEL, NODE_LABEL, NODE_LABELS } from './contract.ts';
import { devicesReports } from './node-report.ts';

const isLabelled: NodeRule = {
  holds: each(`${labelIn('each', NODE_LABEL)} == variables.node`),
  allowed: `write only volumes of that node, whose label ${NODE_LABEL} is its name`,
};

/** Volumes that were made long ago do not have these. */
const laterLabels: readonly NodeRule[] = NODE_LABELS.filter((label) => label !== NODE_LABEL).map((label) => ({
  holds: rightOrLeft((object) => labelIn(object, label), 'variables.node'),
  allowed: `put only the name of that node into the label ${label}, and not leave a new volume without it`,
}));

const TERMS = 'each.spec.?nodeAffinity.?required.?nodeSelectorTerms.orValue([])';
const isUsedOnTheNodeOnly: NodeRule = {
  holds: each(
    [
      `${TERMS}.size() == 1`,
      `${TERMS}.all(term, ${[
        'term.?matchFields.orValue([]).size() == 0',
        'term.?matchExpressions.orValue([]).size() == 1',
        `term.matchExpressions[0].key == ${celText(HOSTNAME_LABEL)}`,
        "term.matchExpressions[0].operator == 'In'",
        'term.matchExpressions[0].?values.orValue([]) == [variables.node]',
      ].join(' && ')})`,
    ].join(' && '),
  ),
  allowed: `write only volumes whose node affinity is ${HOSTNAME_LABEL} In [that node], and nothing else`,
};

/** That the path of a volume stays as it is, the API server sees to. */
const isLocal: NodeRule = {
  holds: each('has(each.spec.local)'),
  allowed: 'write only local volumes',
};

/** As names.ts makes them. A name that begins like those of another node could be in its way. */
const isNamedAfterTheNode: NodeRule = {
  holds: each(
    "each.metadata.name.startsWith(oldObject == null ? 'local-' + variables.node.split('-').filter(part, part != '').join('-') + '-' : 'local-')",
  ),
  allowed: 'write only volumes that are named local-NODE-DEVICE after that node',
};

const isRetained: NodeRule = {
  holds: rightOrLeft((object) => `${object}.spec.?persistentVolumeReclaimPolicy.orValue('')`, "'Retain'"),
  allowed: 'give volumes the reclaim policy Retain only',
};

/** Or it could have the data of others written to its disks. */
const isBoundByOthers: NodeRule = {
  holds:
    'object == null || (oldObject == null ? !has(object.spec.claimRef) : object.spec.?claimRef == oldObject.spec.?claimRef)',
  allowed: 'not say which claim a volume belongs to: claimRef has to stay as it is, and a new volume has none',
};

export const devicesLimits: readonly NodeLimit[] = [
  {
    name: 'volumes',
    resource: PERSISTENT_VOLUMES,
    rules: [isLabelled, ...laterLabels, isUsedOnTheNodeOnly, isLocal, isNamedAfterTheNode, isRetained, isBoundByOthers],
  },
  reportLimit(devicesReports, CONFIG_MAPS),
];
