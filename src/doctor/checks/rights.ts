/** Whether the account of each job may do what the code declares, asked of the API server itself. */
import { nameOf } from '../../kit/kube/resource.ts';
import type { Cluster, Right } from '../cluster.ts';
import { type Check, type Finding, unknown, type Verdict, verdictOn } from '../finding.ts';
import { inWords, keyOfWriter, type Writer } from '../writers.ts';

export const accountsHaveTheirRights: Check<Cluster> = {
  name: 'rbac',
  judge({ writers, rights }): Verdict {
    if (!writers.known) return unknown(writers.why);
    const ours = writers.value.filter(({ who }) => who === 'holdfast');
    const findings: Finding[] = [];
    for (const writer of ours) {
      const known = rights.get(keyOfWriter(writer));
      if (!known?.known) return unknown(known?.why ?? `nobody has asked what ${inWords(writer)} may do`);
      const missing = known.value.filter(({ isAllowed }) => !isAllowed);
      if (missing.length > 0) findings.push(lacking(writer, missing));
    }
    const asked =
      ours.length === 0 ? 'no job of Holdfast is installed' : `all ${ours.length} jobs may do what they declare`;
    return verdictOn(findings, asked);
  },
};

function lacking(writer: Writer, missing: readonly Right[]): Finding {
  return {
    severity: 'error',
    subject: `account ${writer.namespace}/${writer.account} of ${inWords(writer)}`,
    evidence: `it may not ${missing.map(rightInWords).join(', ')}`,
    remedy: `Bind the roles of the chart to it, or those of: holdfast manifests rbac (holdfast-${writer.job})`,
  };
}

function rightInWords({ access, verb, namespace }: Right): string {
  const { resource, subresource, names } = access;
  const what = subresource === undefined ? nameOf(resource) : `${nameOf(resource)}/${subresource}`;
  const which = names ? ` ${names.join(' and ')}` : '';
  return `${verb} ${what}${which}${namespace === undefined ? '' : ` in ${namespace}`}`;
}
