import { aMap, aSet } from '../objects.ts';
import { type Cases, mergePatch, post, put, remove, type Step } from '../steps.ts';

const rule = (resources: readonly string[], operations: readonly string[], apiGroups: readonly string[] = ['']) => ({
  resourceRules: [{ apiGroups, apiVersions: ['*'], operations, resources }],
});

/** In the namespace of the case only. */
const here = { matchLabels: { 'kubernetes.io/metadata.name': '{case}' } };

const policy = (matchConstraints: object, validations: readonly object[], more: object = {}): Step =>
  post('validatingadmissionpolicies', {
    metadata: { name: '{case}' },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { ...matchConstraints, namespaceSelector: here },
      validations,
      ...more,
    },
  });

const binding = (validationActions: readonly string[] = ['Deny'], more: object = {}): Step =>
  post('validatingadmissionpolicybindings', {
    metadata: { name: '{case}' },
    spec: { policyName: '{case}', validationActions, ...more },
  });

/** A real server hears of a policy after a moment: what it refuses is sent until it does. */
const refused = (step: Step): Step => (step.does === 'ask' ? { ...step, until: 'denied request' } : step);

/** Policies in CEL on what may be written. */
export const policies: Cases = {
  'what is made': [
    policy(rule(['configmaps'], ['CREATE']), [
      { expression: "object.metadata.name.startsWith('a')", message: 'names begin with a' },
    ]),
    binding(),
    refused(post('configmaps?dryRun=All', aMap('b'))),
    post('configmaps', aMap('a')),
  ],
  'what is changed, and from what': [
    post('configmaps', aMap('a', { x: '1', owner: 'one' })),
    policy(rule(['configmaps'], ['UPDATE']), [
      {
        expression: 'object.data.?owner == oldObject.data.?owner',
        messageExpression: "'the owner stays ' + oldObject.data.owner",
        reason: 'Forbidden',
      },
    ]),
    binding(),
    refused(mergePatch('configmaps/a?dryRun=All', { data: { owner: 'two' } })),
    mergePatch('configmaps/a', { data: { x: '2' } }),
  ],
  'what is deleted': [
    post('configmaps', aMap('a', {}, { labels: { keep: 'yes' } })),
    policy(rule(['configmaps'], ['DELETE']), [{ expression: "!('keep' in oldObject.metadata.?labels.orValue({}))" }]),
    binding(),
    refused(remove('configmaps/a?dryRun=All')),
    mergePatch('configmaps/a', { metadata: { labels: { keep: null } } }),
    remove('configmaps/a'),
  ],
  'how a set is scaled': [
    post('statefulsets', aSet('a', { replicas: 3 })),
    policy(rule(['statefulsets/scale'], ['UPDATE'], ['apps']), [
      { expression: 'object.spec.replicas >= oldObject.spec.replicas', message: 'it may only grow' },
    ]),
    binding(),
    refused(mergePatch('statefulsets/a/scale?dryRun=All', { spec: { replicas: 1 } })),
    put('statefulsets/a/scale', {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'a', namespace: '{case}' },
      spec: { replicas: 4 },
    }),
  ],
  'who writes': [
    policy(rule(['configmaps'], ['CREATE']), [
      { expression: "request.userInfo.username == 'nobody'", messageExpression: "'you are not nobody'" },
    ]),
    binding(),
    refused(post('configmaps', aMap('a'))),
  ],
  'a warning only': [
    policy(rule(['configmaps'], ['CREATE', 'UPDATE']), [{ expression: 'false', message: 'think again' }]),
    binding(['Deny']),
    refused(post('configmaps?dryRun=All', aMap('a'))),
    mergePatch('validatingadmissionpolicybindings/{case}', { spec: { validationActions: ['Warn'] } }),
    { ...post('configmaps?dryRun=All', aMap('a')), until: 201 },
  ],
};
