/** What the agent of a node may write: on volumes of its own node, and there only what it has to; and the report of its own node. */
import { CONFIG_MAPS } from '../api/config-maps.ts';
import { PERSISTENT_VOLUMES } from '../api/persistent-volumes.ts';
import { labelIn, reportLimit, rightOrLeft } from '../kit/manifests/cel-rules.ts';
import { celText, type NodeLimit, type NodeRule, type Variable } from '../kit/manifests/node-limits.ts';
import {
  annotation,
  FINALIZER,
  HOSTNAME_LABEL,
  MADE_ANNOTATION,
  NODE_ID_LABEL,
  PREFIX,
  WRITTEN_KEYS,
} from './contract.ts';
import { lvmReports } from './node-report.ts';

const list = (texts: readonly string[]): string => `[${texts.map(celText).join(', ')}]`;

const annotationsOf = (object: string): string =>
  `${object} == null ? {} : ${object}.metadata.?annotations.orValue({})`;
const finalizersOf = (object: string): string => `${object}.metadata.?finalizers.orValue([])`;

/** A variable with the value of an affinity that asks for this one value of a label; nothing otherwise: as volume.ts reads it. */
const wanted = (name: string, label: string): Variable => ({
  name,
  expression: [
    `variables.terms.size() != 1 ? optional.none() : [variables.terms[0].?matchExpressions.orValue([])`,
    `.filter(each, each.key == ${celText(label)})]`,
    `.filter(asked, asked.size() == 1 && asked[0].operator == 'In' && asked[0].?values.orValue([]).size() == 1)`,
    '[?0][?0].?values[?0]',
  ].join(''),
});

const HOME: readonly Variable[] = [
  {
    name: 'terms',
    expression: '(oldObject == null ? object : oldObject).spec.?nodeAffinity.?required.?nodeSelectorTerms.orValue([])',
  },
  wanted('id', NODE_ID_LABEL),
  wanted('hostname', HOSTNAME_LABEL),
];

/** What we write about a volume does not make it ours, but for the finalizer: what was made for it is there, whatever it says by now. */
const SAID = `key.startsWith(${celText(PREFIX)}) && !(key in ${list(WRITTEN_KEYS.map(annotation))})`;
const CHANGES: readonly Variable[] = [
  ...HOME,
  { name: 'before', expression: annotationsOf('oldObject') },
  { name: 'after', expression: annotationsOf('object') },
  {
    name: 'isHeld',
    expression: `oldObject != null && ${celText(FINALIZER)} in ${finalizersOf('oldObject')}`,
  },
  {
    name: 'isOurs',
    expression: `variables.id.hasValue() || variables.hostname.hasValue() && (variables.isHeld || variables.before.exists(key, ${SAID}))`,
  },
  {
    name: 'changedAnnotations',
    expression: [
      'variables.after.filter(key, variables.before[?key] != variables.after[?key])',
      'variables.before.filter(key, !(key in variables.after))',
    ].join(' + '),
  },
];

/** Nothing else is said of what is made or deleted, which is not for agents to do. */
const ofChanges = (holds: string): string => `object == null || oldObject == null || (${holds})`;

const isAsBefore = (field: string): string => `object.${field} == oldObject.${field}`;

const changesOnly: NodeRule = {
  holds: "object != null && oldObject != null && request.?subResource.orValue('') == ''",
  allowed: 'only change volumes, not make or delete them, nor write their status',
};

const isLocal: NodeRule = { holds: ofChanges('has(oldObject.spec.local)'), allowed: 'write only local volumes' };

const writesOnlyOurAnnotations: NodeRule = {
  holds: `variables.changedAnnotations.all(key, key.startsWith(${celText(PREFIX)}) || key == ${celText(MADE_ANNOTATION)})`,
  allowed: `change only the annotations that begin with ${PREFIX}, and ${MADE_ANNOTATION}`,
};

const TOLD = list([annotation('status'), annotation('message')]);
const onlyTells: NodeRule = {
  holds: ofChanges(
    `variables.isOurs || variables.changedAnnotations.all(key, key in ${TOLD}) && ${isAsBefore('spec')} && ${isAsBefore('metadata.?finalizers')}`,
  ),
  allowed: `write only ${annotation('status')} and ${annotation('message')} on a volume whose node affinity does not say whose it is`,
};

const leavesMetadata: NodeRule = {
  holds: ofChanges(['metadata.?labels', 'metadata.?ownerReferences'].map(isAsBefore).join(' && ')),
  allowed: 'not change the labels or owners of a volume',
};

const withoutOurs = (object: string): string => `${finalizersOf(object)}.filter(each, each != ${celText(FINALIZER)})`;
const handlesOnlyOurFinalizer: NodeRule = {
  holds: ofChanges(`${withoutOurs('object')} == ${withoutOurs('oldObject')}`),
  allowed: `put on and take off only the finalizer ${FINALIZER}`,
};

const letsGoWhatLeaves: NodeRule = {
  holds: ofChanges(
    `has(oldObject.metadata.deletionTimestamp) || !(${celText(FINALIZER)} in ${finalizersOf('oldObject')}) || ${celText(FINALIZER)} in ${finalizersOf('object')}`,
  ),
  allowed: `take the finalizer ${FINALIZER} only off a volume that is being deleted`,
};

/** That what a volume is stored on stays as it is, the API server sees to. Its types do not know the capacity. */
const SPEC = [
  'accessModes',
  'capacity',
  'local',
  'mountOptions',
  'nodeAffinity',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
];
const leavesSpec: NodeRule = {
  holds: ofChanges(SPEC.map((field) => `dyn(object.spec).?${field} == dyn(oldObject.spec).?${field}`).join(' && ')),
  allowed: 'change nothing in the spec of a volume but its reclaim policy, and its claim when that is gone',
};

const retains: NodeRule = {
  holds: rightOrLeft((object) => `${object}.spec.?persistentVolumeReclaimPolicy.orValue('')`, "'Retain'"),
  allowed: 'give volumes the reclaim policy Retain only',
};

/** Or it could have the data of others written to its disks. */
const frees: NodeRule = {
  holds: ofChanges(
    `${isAsBefore('spec.?claimRef')} || !has(object.spec.claimRef) && oldObject.?status.?phase.orValue('') == 'Released'`,
  ),
  allowed:
    'not say which claim a volume belongs to: it may only take a claim that is gone off a volume that is Released',
};

const HOSTNAME_OF_NODE = `params.metadata.?labels[?${celText(HOSTNAME_LABEL)}].orValue(params.metadata.name)`;
const digitsOf = (hostname: string): string => `${hostname}.split('.')[0].find('[0-9]+$')`;

/** The label of the Node, or what the original guessed from its host name: as home.ts has it. */
const NODE: readonly Variable[] = [
  { name: 'nodeHostname', expression: HOSTNAME_OF_NODE },
  { name: 'digits', expression: digitsOf('variables.nodeHostname') },
  {
    name: 'nodeId',
    expression: `${labelIn('params', NODE_ID_LABEL)} != '' ? ${labelIn('params', NODE_ID_LABEL)} : variables.digits != '' ? 'node' + variables.digits : ''`,
  },
  {
    name: 'isNamed',
    expression:
      "variables.id.hasValue() ? variables.id.value() != '' && variables.id.value() == variables.nodeId : variables.hostname.value() == variables.nodeHostname",
  },
];

/** Whose names a volume does not mention anywhere, it is not of. */
const NAMES = [HOSTNAME_OF_NODE, labelIn('params', NODE_ID_LABEL), `'node' + ${digitsOf(HOSTNAME_OF_NODE)}`];
const IS_MENTIONED = [
  'oldObject.spec.?nodeAffinity.?required.?nodeSelectorTerms.orValue([]).exists(term, ',
  'term.?matchExpressions.orValue([]).exists(each, ',
  `each.?values.orValue([]).exists(value, ${NAMES.map((name) => `value == ${name}`).join(' || ')})))`,
].join('');

/** Of its own Node, and of no other: a volume of which two Nodes say that it is theirs is written by neither. */
const isOfItsNode: NodeRule = {
  holds: '!variables.id.hasValue() && !variables.hostname.hasValue() || variables.isNamed == variables.isOwnNode',
  allowed: `write only volumes whose node affinity names that node and no other, by ${NODE_ID_LABEL} or ${HOSTNAME_LABEL}`,
};

export const lvmLimits: readonly NodeLimit[] = [
  {
    name: 'volumes',
    resource: PERSISTENT_VOLUMES,
    variables: CHANGES,
    rules: [
      changesOnly,
      isLocal,
      onlyTells,
      writesOnlyOurAnnotations,
      leavesMetadata,
      handlesOnlyOurFinalizer,
      letsGoWhatLeaves,
      leavesSpec,
      retains,
      frees,
    ],
  },
  {
    name: 'homes',
    resource: PERSISTENT_VOLUMES,
    asksEveryNode: { ifItMatters: IS_MENTIONED },
    variables: [...HOME, ...NODE],
    rules: [isOfItsNode],
  },
  reportLimit(lvmReports, CONFIG_MAPS),
];
