/** What the agents of all nodes say, and where their word does not count. Pure. */
import type { Identity } from '../devices/identity.ts';
import { type DevicesStatus, devicesStatus } from '../devices/status.ts';
import type { Volume as DeviceVolume } from '../devices/volume.ts';
import type { Known } from '../kit/known.ts';
import { isSilent } from '../kit/reports/heard.ts';
import { type LvmStatus, lvmStatus } from '../lvm/status.ts';
import type { Volume as LvmVolume } from '../lvm/volume.ts';
import type { SeenNode, SeenReport } from './views.ts';

export type AgentJob = 'devices' | 'lvm';

/** Why the word of an agent does not count. */
export type Doubt =
  /** Nobody can say what it reports. */
  | { readonly is: 'unread'; readonly why: string }
  /** Several ConfigMaps say to be its report: at most one of them is. */
  | { readonly is: 'disputed'; readonly maps: readonly string[] }
  /** It has not reported for long, or never. */
  | { readonly is: 'silent'; readonly heardAt?: string };

export type Doubts = Readonly<Record<AgentJob, ReadonlyMap<string, Doubt>>>;

/** What there is to know it from. */
export interface Overheard {
  readonly reports: Known<readonly SeenReport[]>;
  /** All nodes; nothing when they may not be read. */
  readonly nodes: readonly SeenNode[] | undefined;
  readonly deviceVolumes: readonly DeviceVolume[] | undefined;
  readonly lvmVolumes: readonly LvmVolume[] | undefined;
}

export interface Agents {
  readonly devices: DevicesStatus;
  readonly lvm: LvmStatus;
  readonly doubts: Doubts;
}

export function agentsOf({ reports, nodes, deviceVolumes, lvmVolumes }: Overheard, now: Date): Agents {
  const read = reports.known ? reports.value : [];
  const ofDevices = undisputed(read.filter((each) => each.job === 'devices'));
  const ofLvm = undisputed(read.filter((each) => each.job === 'lvm'));
  const names = nodes?.map(({ name }) => name);
  const devices = devicesStatus({ reports: ofDevices.reports, nodes: names, volumes: deviceVolumes }, now);
  const lvm = lvmStatus({ reports: ofLvm.reports, nodes, volumes: lvmVolumes }, now);
  const doubtsOn = (status: DevicesStatus | LvmStatus, disputes: ReadonlyMap<string, Doubt>) => {
    if (reports.known) return new Map([...silences(status, now), ...disputes]);
    const unread: Doubt = { is: 'unread', why: reports.why };
    return new Map([...(names ?? []), ...status.nodes.map(({ node }) => node)].map((node) => [node, unread]));
  };
  return {
    devices,
    lvm,
    doubts: { devices: doubtsOn(devices, ofDevices.disputes), lvm: doubtsOn(lvm, ofLvm.disputes) },
  };
}

type AgentReport = Extract<SeenReport, { job: AgentJob }>;

/** Whoever may write a ConfigMap somewhere may say to be an agent: where two do, neither is believed. */
export function undisputed<R extends AgentReport>(reports: readonly R[]) {
  const byNode = [...Map.groupBy(reports, ({ report }) => report.node)];
  return {
    reports: byNode.flatMap(([, all]) => (all.length === 1 ? all : [])),
    disputes: new Map(
      byNode.flatMap(([node, all]): [string, Doubt][] =>
        all.length === 1 ? [] : [[node, { is: 'disputed', maps: all.map(({ name }) => name).toSorted() }]],
      ),
    ),
  };
}

const silences = ({ nodes }: DevicesStatus | LvmStatus, now: Date): readonly (readonly [string, Doubt])[] =>
  nodes.flatMap(({ node, heardAt }): [string, Doubt][] => {
    if (heardAt === undefined) return [[node, { is: 'silent' }]];
    return isSilent(heardAt, now) ? [[node, { is: 'silent', heardAt }]] : [];
  });

/** By volume, exactly as the agent tells them. One that is named twice is nobody's. */
export function identitiesIn({ report }: Extract<SeenReport, { job: 'devices' }>): ReadonlyMap<string, Identity> {
  const byVolume = [...Map.groupBy(report.devices, ({ volume }) => volume)];
  return new Map(
    byVolume.flatMap(([volume, [device, ...others]]) =>
      device?.identity && others.length === 0 ? [[volume, device.identity]] : [],
    ),
  );
}

/** As the end of a sentence. */
export function doubtInWords(doubt: Doubt, job: AgentJob): string {
  switch (doubt.is) {
    case 'unread':
      return `what its ${job} agent reports cannot be read`;
    case 'disputed':
      return `the ConfigMaps ${doubt.maps.join(' and ')} say to be the report of its ${job} agent, and only one of them can be`;
    case 'silent':
      return doubt.heardAt === undefined
        ? `no ${job} agent reports from its node`
        : `its ${job} agent was last heard at ${doubt.heardAt}`;
  }
}
