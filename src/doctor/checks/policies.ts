/** Whether the admission policies of the jobs that are installed are there, in force, and as this version of the program declares them. */
import { controllers } from '../../controllers.ts';
import { firstMissing, semanticallyEqual } from '../../kit/equality.ts';
import type { Resource } from '../../kit/kube/resource.ts';
import { admissionObjects } from '../../kit/manifests/files.ts';
import type { Cluster, Policy } from '../cluster.ts';
import { type Check, type Finding, unknown, verdictOn } from '../finding.ts';
import { asSeen, byAnother, ofAnother, versionOf } from '../provenance.ts';
import { inWords, type Writer } from '../writers.ts';

const admission = (kind: string): Resource<Policy> => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: kind === 'ValidatingAdmissionPolicy' ? 'validatingadmissionpolicies' : 'validatingadmissionpolicybindings',
  kind,
  namespaced: false,
});
export const POLICIES = admission('ValidatingAdmissionPolicy');
export const BINDINGS = admission('ValidatingAdmissionPolicyBinding');

interface Live {
  /** Of the program that looks. */
  readonly version: string;
  readonly policies: readonly Policy[];
  readonly bindings: readonly Policy[];
}

export const policiesAreInForce: Check<Cluster> = {
  name: 'admission-policies',
  judge({ policies, bindings, writers, version }) {
    for (const each of [policies, bindings, writers]) if (!each.known) return unknown(each.why);
    if (!policies.known || !bindings.known || !writers.known) return unknown('they cannot be read');
    const live = { version, policies: policies.value, bindings: bindings.value };
    const ours = writers.value.filter(({ who }) => who === 'holdfast');
    const findings = [...ours.flatMap((writer) => ofWriter(writer, live)), ...complaints(live.policies)];
    return verdictOn(findings, `those of ${ours.length} jobs are in force, as declared`);
  },
};

function ofWriter(writer: Writer, live: Live): readonly Finding[] {
  const controller = controllers.find(({ name }) => name === writer.job);
  if (!controller) return [];
  const objects = admissionObjects(controller, { namespace: writer.namespace, serviceAccount: writer.account });
  return objects.flatMap((wanted, index) => {
    const binding = objects[index + 1];
    if (wanted.kind !== 'ValidatingAdmissionPolicy' || !binding) return [];
    return judged(writer, wanted.metadata.name.replace(/^holdfast-/, ''), wanted.spec, binding.spec, live);
  });
}

/** A release may call its policies what it wants, as long as they end like ours and are about the same account. */
function judged(
  writer: Writer,
  end: string,
  wanted: object,
  wantedBinding: object,
  { version, policies, bindings }: Live,
): readonly Finding[] {
  const alike = policies.filter(({ metadata: { name = '' } }) => name === end || name.endsWith(`-${end}`));
  const same = alike.find(({ spec = {} }) => semanticallyEqual(normal(wanted), normal(spec)));
  const subject = `policy ${end} of ${inWords(writer)}`;
  const [candidate] = alike.filter(({ spec }) => isAbout(spec, writer));
  if (!same) return [candidate ? drifted(subject, candidate, wanted, version) : absent(subject, writer)];
  const its = bindings.filter(({ spec }) => spec?.policyName === same.metadata.name);
  const want = normal({ ...wantedBinding, policyName: same.metadata.name });
  if (its.some(({ spec = {} }) => semanticallyEqual(want, normal(spec)))) return [];
  return [notBound(subject, same, its)];
}

const isAbout = (spec: unknown, { namespace, account }: Writer): boolean => {
  const text = JSON.stringify(spec);
  return text.includes(`system:serviceaccount:${namespace}:${account}`) || !text.includes('system:serviceaccount:');
};

/** What the API server adds to every policy says nothing. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  const said = Object.entries(value).filter(([key, each]) => !isDefault(key, each));
  return Object.fromEntries(said.map(([key, each]) => [key, normal(each)]));
}

const isDefault = (key: string, value: unknown): boolean =>
  (key === 'matchPolicy' && value === 'Equivalent') || (key === 'scope' && value === '*');

const absent = (subject: string, { namespace, account, job }: Writer): Finding => ({
  severity: 'warning',
  subject,
  evidence: 'there is no such policy: what RBAC cannot say of this account nobody says',
  remedy: `Set ${job}.admissionPolicies to true, or: holdfast manifests admission --namespace=${namespace} --service-account=${account} | kubectl apply -f -`,
});

function drifted(subject: string, found: Policy, wanted: object, version: string): Finding {
  const where = firstMissing(normal(wanted), normal(found.spec)) ?? 'it says more than is declared';
  const finding: Finding = {
    severity: 'error',
    subject,
    evidence: `${found.metadata.name} is not what this version declares: ${where}`,
    remedy: 'Upgrade the release: the policy is made from the code',
  };
  const theirs = ofAnother(found, version);
  if (theirs !== undefined) return byAnother(finding, theirs);
  // Where it is not told who wrote it, a rule that we do not know may be one that a newer version needs.
  if (versionOf(found) === undefined && firstMissing(normal(found.spec), normal(wanted)) !== undefined) return finding;
  return { ...finding, fix: { does: 'apply', resource: POLICIES, object: asSeen(found, wanted) } };
}

const notBound = (subject: string, { metadata: { name = '' } }: Policy, its: readonly Policy[]): Finding => ({
  severity: 'error',
  subject,
  evidence:
    its.length === 0
      ? `${name} has no binding, so that it is not in force`
      : `${name} is bound in another way than declared: ${its.map(({ metadata }) => metadata.name).join(', ')}`,
  remedy: 'Upgrade the release: the binding is made from the code',
});

/** What the API server itself finds wrong with the expressions of ours. */
const complaints = (policies: readonly Policy[]): readonly Finding[] =>
  policies.flatMap(({ metadata: { name = '', labels = {} }, status }) =>
    labels['app.kubernetes.io/name'] !== 'holdfast' && !name.startsWith('holdfast-')
      ? []
      : (status?.typeChecking?.expressionWarnings ?? []).map(
          ({ warning }): Finding => ({
            severity: 'error',
            subject: `policy ${name}`,
            evidence: `the API server warns of an expression in it: ${warning}`,
            remedy: 'Upgrade Holdfast: this version does not go with this API server',
          }),
        ),
  );
