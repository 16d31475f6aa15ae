/** Whether the account of each job may do what the code declares, asked of the API server itself. */
import { nameOf } from '../../kit/kube/resource.ts';
import type { Cluster, Right } from '../cluster.ts';
import { type Check, type Finding, unknown, type Verdict, verdictOn } from '../finding.ts';
import { type Installed, inWords, keyOf } from '../writers.ts';

export const accountsHaveTheirRights: Check<Cluster> = {
  name: 'rbac',
  judge({ writers, consoles, rights }): Verdict {
    if (!writers.known) return unknown(writers.why);
    if (!consoles.known) return unknown(consoles.why);
    const ours = [...writers.value.filter(({ who }) => who === 'holdfast'), ...consoles.value];
    const findings: Finding[] = [];
    for (const installed of ours) {
      const known = rights.get(keyOf(installed));
      if (!known?.known) return unknown(known?.why ?? `nobody has asked what ${inWords(installed)} may do`);
      const missing = known.value.filter(({ isAllowed }) => !isAllowed);
      if (missing.length > 0) findings.push(lacking(installed, missing));
    }
    const asked =
      ours.length === 0 ? 'no job of Holdfast is installed' : `all ${ours.length} jobs may do what they declare`;
    return verdictOn(findings, asked);
  },
};

function lacking(installed: Installed, missing: readonly Right[]): Finding {
  return {
    severity: 'error',
    subject: `account ${installed.namespace}/${installed.account} of ${inWords(installed)}`,
    evidence: `it may not ${missing.map(rightInWords).join(', ')}`,
    remedy: `Bind the roles of the chart to it, or those of: holdfast manifests rbac (holdfast-${installed.job})`,
  };
}

function rightInWords({ access, verb, namespace }: Right): string {
  const { resource, subresource, names } = access;
  const what = subresource === undefined ? nameOf(resource) : `${nameOf(resource)}/${subresource}`;
  const which = names ? ` ${names.join(' and ')}` : '';
  return `${verb} ${what}${which}${namespace === undefined ? '' : ` in ${namespace}`}`;
}
