/** Rules in CEL that the limits of several jobs are made of. */
import type { Resource } from '../kube/resource.ts';
import { type NodeReports, REPORT_LABEL, type ReportHead } from '../reports/node-reports.ts';
import { celText, type NodeLimit } from './node-limits.ts';

export const labelIn = (object: string, label: string): string =>
  `${object}.metadata.?labels[?${celText(label)}].orValue('')`;

/** As it is made, and as it was made: both have to be so. */
export const each = (holds: string): string => `variables.objects.all(each, ${holds})`;

/** What is right is allowed, and so is leaving a thing as somebody else has put it: or else nothing else could be put right. */
export const rightOrLeft = (valueIn: (object: string) => string, right: string): string =>
  `object == null || ${valueIn('object')} == ${right} || oldObject != null && ${valueIn('object')} == ${valueIn('oldObject')}`;

/** That an agent writes the report of its own node, and no other ConfigMap. Also as it was: a configuration that happens to have this name is not overwritten. */
export const reportLimit = <R extends ReportHead>(reports: NodeReports<R, string>, resource: Resource): NodeLimit => ({
  name: 'reports',
  resource,
  rules: [
    {
      holds: each(`each.metadata.name == ${celText(reports.nameOf(''))} + variables.node`),
      allowed: `write only the ConfigMap of its own report, ${reports.nameOf('NODE')}`,
    },
    {
      holds: each(`${labelIn('each', REPORT_LABEL)} == ${celText(reports.job)}`),
      allowed: `write only a ConfigMap that has, and had, the label ${reports.labelSelector}`,
    },
  ],
});
