/** Whether the kinds that Holdfast adds are there, served, and as this version of the program declares them. */
import { customResources } from '../../custom-resources.ts';
import { firstMissing, semanticallyEqual } from '../../kit/equality.ts';
import { apiVersionOf, nameOf, type Resource } from '../../kit/kube/resource.ts';
import { type CustomResource, customResourceDefinition } from '../../kit/manifests/crd.ts';
import { PV_POOLS } from '../../pool/contract.ts';
import type { Cluster, Definition } from '../cluster.ts';
import { type Check, type Finding, unknown, verdictOn } from '../finding.ts';
import { asSeen, byAnother, ofAnother } from '../provenance.ts';
import type { Job } from '../writers.ts';

export const DEFINITIONS: Resource<Definition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

const jobOf = ({ resource }: CustomResource): Job => (resource === PV_POOLS ? 'pool' : 'sync');

export const kindsAreAsDeclared: Check<Cluster> = {
  name: 'crds',
  judge({ kinds, writers, version }) {
    if (!kinds.known) return unknown(kinds.why);
    const jobs = writers.known ? writers.value.filter(({ who }) => who === 'holdfast').map(({ job }) => job) : [];
    const findings = customResources.flatMap((custom) => {
      const found = kinds.value.get(nameOf(custom.resource));
      return found ? drift(custom, found, version) : missing(custom, jobs);
    });
    return verdictOn(findings, `${kinds.value.size} of ${customResources.length} kinds are there, as declared`);
  },
};

function missing(custom: CustomResource, jobs: readonly Job[]): readonly Finding[] {
  const job = jobOf(custom);
  if (!jobs.includes(job)) return [];
  return [
    {
      severity: 'error',
      subject: `kind ${custom.resource.kind}`,
      evidence: `the job ${job} is installed, and its kind ${nameOf(custom.resource)} is not`,
      remedy: 'Install it: holdfast manifests crds | kubectl apply --server-side -f -',
    },
  ];
}

function drift(custom: CustomResource, found: Definition, version: string): readonly Finding[] {
  const wanted = customResourceDefinition(custom);
  const subject = `kind ${custom.resource.kind}`;
  const troubles = (found.status?.conditions ?? []).filter(
    ({ type, status }) => (type === 'Established' || type === 'NamesAccepted') && status !== 'True',
  );
  const notServed = troubles.map(
    ({ type, message = '' }): Finding => ({
      severity: 'error',
      subject,
      evidence: `it is not served: ${type} is not true: ${message}`,
      remedy: `Look at kubectl describe crd ${nameOf(custom.resource)}`,
    }),
  );
  const spec = withoutDefaults(found.spec ?? {});
  const lacking = firstMissing(wanted.spec, spec);
  const isMore = firstMissing(spec, wanted.spec) !== undefined;
  if (lacking === undefined && !isMore && semanticallyEqual(wanted.spec, spec)) return notServed;
  const theirs = ofAnother(found, version);
  const differs = lacking === undefined ? newer(custom, found) : older(custom, lacking);
  if (theirs !== undefined) return [...notServed, byAnother(differs, theirs)];
  // Something that ours does not know would be lost with objects that use it: that takes a person.
  if (lacking === undefined || isMore) return [...notServed, differs];
  return [
    ...notServed,
    { ...differs, fix: { does: 'apply', resource: DEFINITIONS, object: asSeen(found, wanted.spec) } },
  ];
}

/** What the API server adds to every definition. */
function withoutDefaults(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { conversion, ...rest } = spec;
  return Object(conversion).strategy === 'None' ? rest : spec;
}

const older = (custom: CustomResource, lacking: string): Finding => ({
  severity: 'error',
  subject: `kind ${custom.resource.kind}`,
  evidence: `${apiVersionOf(custom.resource)} in the cluster is not what this version declares: ${lacking} differs`,
  remedy: 'Upgrade the release, or: holdfast manifests crds | kubectl apply --server-side --force-conflicts -f -',
});

const newer = (custom: CustomResource, found: Definition): Finding => ({
  severity: 'warning',
  subject: `kind ${custom.resource.kind}`,
  evidence: `the one in the cluster says more than this version declares: ${firstMissing(withoutDefaults(found.spec ?? {}), customResourceDefinition(custom).spec)}`,
  remedy: 'Use the version of Holdfast that it comes from, or install the kind of this version',
});
