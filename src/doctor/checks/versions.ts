/** Whether the API server is new enough, and whether the agents of nodes are of the same version as the program that looks. */
import type { Cluster, Report } from '../cluster.ts';
import { type Check, type Finding, unknown, verdictOn } from '../finding.ts';

/** As in the chart: the first release whose tokens say by default which node they were given to, by which policies tell agents apart. */
const OLDEST_MINOR = 32;

export const serverIsNewEnough: Check<Cluster> = {
  name: 'server-version',
  judge({ server }) {
    if (!server.known) return unknown(server.why);
    const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(server.value) ?? [];
    if (major === undefined || minor === undefined)
      return unknown(`the API server calls its version ${server.value}, which cannot be read`);
    const isOld = Number(major) < 1 || (Number(major) === 1 && Number(minor) < OLDEST_MINOR);
    const finding: Finding = {
      severity: 'error',
      subject: 'API server',
      evidence: `it is ${server.value}; the policies that hold agents to their nodes take 1.${OLDEST_MINOR} or newer`,
      remedy: 'Upgrade the cluster, or run without the policies: admissionPolicies: false',
    };
    return verdictOn(isOld ? [finding] : [], `the API server is ${server.value}`);
  },
};

export const agentsAreOfThisVersion: Check<Cluster> = {
  name: 'agent-versions',
  judge({ reports, version }) {
    if (!reports.known) return unknown(reports.why);
    const others = reports.value.filter((report) => report.version !== version);
    return verdictOn(
      others.map((report) => ofAnotherVersion(report, version)),
      `${reports.value.length} agents report, all of version ${version}`,
    );
  },
};

const ofAnotherVersion = ({ job, node, version: theirs }: Report, ours: string): Finding => ({
  severity: 'warning',
  subject: `agent of ${job} on node ${node}`,
  evidence: `it is of version ${theirs}, and this program of ${ours}`,
  remedy: `Let the DaemonSet roll out to its end, or use holdfast ${theirs} to look`,
});
