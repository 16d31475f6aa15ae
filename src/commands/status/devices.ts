/** `holdfast status devices`: how each device of each node stands, which agents are not heard, and what needs a person. */
import { type DeviceStatus, type DevicesStatus, devicesStatus, needOf } from '../../devices/status.ts';
import { look } from '../devices/look.ts';
import { type Page, type Text, toned, wide } from '../page/page.ts';
import { shown } from '../page/render.ts';
import { overview, sumOf } from '../reports/text.ts';
import { type Brief, reportedStatus, statusOfReports } from './reported.ts';
import { asSentence } from './summary.ts';

const parts = { job: 'devices', shows: 'the devices', look, statusOf: devicesStatus, page: statusPage, brief } as const;

export const define = statusOfReports(parts);
export const devices = reportedStatus(parts);

const STATES = ['available', 'bound', 'new', 'released', 'wiping', 'planned', 'failed', 'refused'] as const;

const things = ({ nodes }: DevicesStatus): readonly DeviceStatus[] => nodes.flatMap(({ devices: own }) => own);

function brief(status: DevicesStatus): Brief {
  const all = status.nodes.flatMap(({ node, devices: own }) => own.map((device) => ({ node, device })));
  return {
    sentence: sumOf({ agents: status, one: 'device', things: things(status), states: STATES }),
    needs: all.flatMap(({ node, device }) => {
      const need = needOf(node, device);
      if (!need) return [];
      const code = device.state.is === 'refused' ? device.state.fact : undefined;
      return [{ job: 'devices', what: `${node}: ${need.path} ${need.why}`, remedy: asSentence(need.remedy), code }];
    }),
    now: all.flatMap(({ node, device: { path, state, stands } }) =>
      GOING_ON.has(state.is) ? [`${node}: ${path} ${stands}`] : [],
    ),
  };
}

const GOING_ON: ReadonlySet<DeviceStatus['state']['is']> = new Set(['new', 'released', 'wiping', 'failed']);

export function statusPage(status: DevicesStatus): Page {
  const { nodes, needsAPerson } = status;
  const columns = [
    ...['NODE', 'DEVICE', 'SIZE', 'IDENTITY', 'VOLUME', 'CLAIM'],
    ...['HOLDS', 'PARTITIONS', 'HEARD AT', 'CODE'].map(wide),
    'STATE',
  ];
  const rows = nodes.flatMap(({ node, heardAt, devices: own }) =>
    own.map(({ path, size, identity, volume, claim, holds, partitionCount, state, stands }) => {
      const code = state.is === 'refused' ? state.fact : undefined;
      return [
        ...[node, path, size, identity, volume, claim],
        ...[holds, partitionCount?.toString(), heardAt, code],
        inTone(state.is, stands),
      ];
    }),
  );
  return overview({
    job: 'devices',
    agents: status,
    one: 'device',
    things: things(status),
    states: STATES,
    tables: [{ columns, rows }],
    needs: needsAPerson.map(
      ({ node, path, why, remedy }) => `${node}: ${shown(path)} ${shown(why)}. ${shown(remedy)}.`,
    ),
  });
}

const inTone = (is: DeviceStatus['state']['is'], stands: string): Text => {
  if (is === 'refused' || is === 'failed') return toned(stands, 'bad');
  return is === 'bound' || is === 'available' ? toned(stands, 'good') : toned(stands, 'warn');
};
