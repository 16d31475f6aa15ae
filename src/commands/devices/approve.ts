/** `holdfast devices approve NODE DEVICE`: how a person lifts a refusal, for one device and one wipe. */
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { type Approvable, approvable, approvalFor, giveApproval } from '../../devices/approving.ts';
import { APPROVALS_ANNOTATION } from '../../devices/contract.ts';
import { describe, isSame } from '../../devices/identity.ts';
import { devicesReports } from '../../devices/node-report.ts';
import { type DevicesStatus, devicesStatus, type Reported } from '../../devices/status.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { inBytes } from '../../kit/in-words.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { flag } from '../flags/flag.ts';
import { runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import type { Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { UsageError } from '../line/usage-error.ts';
import { shown } from '../page/render.ts';
import { confirm, yesFlag } from '../question.ts';
import { namespaceFlag, nodeNames, readReports } from '../reports/read.ts';
import { agentLines } from '../reports/text.ts';
import { type TimedVisitor, visit } from '../visit.ts';
import { chosenDevice } from './chosen-device.ts';

const flags = {
  ...clusterFlags,
  namespace: namespaceFlag(),
  yes: yesFlag,
  dryRun: flag('--dry-run', 'say what would be approved, and approve nothing', onOff, { default: 'false' }),
};

const MEANING = `
An agent refuses to wipe a device when what is on it may be somebody's: data
that no volume of ours has put there, or that of a volume that has vanished, or
is of another cluster. To approve the device says that nobody needs what is on
it any more. Its agent then wipes it, and makes a volume of it: EVERYTHING ON
IT IS LOST.

An approval is for one device as it is now, and counts once. Another disk at
the same path is not meant by it; but one that tells neither its WWN nor its
serial number is known by its size only. No other refusal is lifted than the
one that is shown: if there is another one behind it, that needs an approval of
its own. What is mounted, open, or in use in any other way is never wiped.

It is written into the annotation ${APPROVALS_ANNOTATION} of the Node,
which takes the right to patch nodes.`;

export function addApprove(devices: Command, terminal: Terminal): void {
  const command = devices
    .command('approve')
    .usage('NODE DEVICE [flags]')
    .summary('lets a refused device be wiped: all that is on it is lost')
    .description('Lets the agent of a node wipe a device that it has refused to. All that is on the device is lost.')
    .argument('<node>', 'the node that the device is on')
    .argument('<device>', 'its path, volume, key or identity, as holdfast status devices shows them')
    .addHelpText('after', MEANING);
  addExamples(command, {
    'holdfast status devices': 'which devices are refused, and why',
    'holdfast devices approve node-1 /dev/disk/by-path/sdb --dry-run': 'what is that device?',
    'holdfast devices approve node-1 /dev/disk/by-path/sdb': 'approve it, after a question',
    'holdfast devices approve node-1 local-node-1-sdb --yes': 'by its volume, from a script',
  });
  runs(command, flags, terminal, async (options) => {
    const [node = '', device = ''] = command.args;
    nodeNames([node]);
    await visit('devices-approve', options, terminal, (visitor) =>
      approve({ visitor, terminal, node, named: device, namespace: options.namespace }, options),
    );
  });
}

interface Request {
  readonly visitor: TimedVisitor;
  readonly terminal: Terminal;
  readonly node: string;
  readonly named: string;
  readonly namespace: string | undefined;
}

async function approve(request: Request, { yes, dryRun }: { yes: boolean; dryRun: boolean }): Promise<void> {
  const { node, terminal, visitor } = request;
  const { stdout } = terminal;
  const { device, reported } = await find(request);
  stdout.write(whatItIs(device, reported, visitor.now()));
  if (dryRun) {
    stdout.write('\nNothing was approved: this is a dry run.\n');
    return;
  }
  const question = `Type the name of its volume, ${device.volume}, to approve that: `;
  const asked = { question, word: device.volume, otherwise: 'nothing was approved' };
  if (!yes) await confirm(asked, terminal, visitor.signal);
  const now = yes ? { device, reported } : await findUnchanged(request, device);
  const approval = approvalFor(now.device, { id: randomUUID(), at: systemClock.now() });
  const before = await giveApproval(visitor, { node, approval, ...now });
  stdout.write(before === 'already' ? alreadyApproved(node) : approved(node, device));
}

const approved = (node: string, { volume }: Approvable): string =>
  `\nApproved. The agent of ${node} wipes it, and makes the volume ${volume} of it. To follow that:\n\n  holdfast status devices ${node}\n`;

const alreadyApproved = (node: string): string =>
  `\nIt is approved already, and the agent of ${node} has not reported since. To see whether it has:\n\n  holdfast status devices ${node}\n`;

async function find(request: Request): Promise<{ readonly device: Approvable; readonly reported: Reported }> {
  const { node, named } = request;
  const reported = await reportOn(request);
  return { device: approvable(node, chosenDevice(reported.report, named)), reported };
}

async function reportOn({ visitor, node, namespace }: Request): Promise<Reported> {
  const reading = { visitor, tell: () => {} };
  const { reports, unreadable } = await readReports(reading, devicesReports, { namespace, nodes: [node] });
  const [reported, ...others] = reports;
  if (reported && others.length === 0) return reported;
  if (reported) {
    const where = reports.map((each) => each.namespace).join(', ');
    throw new UsageError(
      `there are reports on ${node} in several namespaces: name that of its agent by --namespace (${where})`,
    );
  }
  if (unreadable.length > 0)
    throw new Error(`the report on ${node} (${unreadable.join(', ')}) is none that this version of Holdfast can read`);
  const all = await readReports(reading, devicesReports, { namespace, nodes: [] });
  const nodes = [...new Set(all.reports.map(({ report }) => report.node))].sort();
  throw new UsageError(
    `there is no report on ${node}; ${nodes.length > 0 ? `there are on ${nodes.join(', ')}` : 'there are none at all'}`,
  );
}

/** What a person has to know before they let go of it. */
function whatItIs(device: Approvable, reported: Reported, now: Date): string {
  const { path, volume, identity, state, holds } = device;
  const { node } = reported.report;
  const status: DevicesStatus = devicesStatus({ reports: [reported] }, now);
  const facts = [
    ['device', path],
    ['node', node],
    ['size', `${inBytes(identity.sizeBytes)} (${identity.sizeBytes} bytes)`],
    ['identity', [describe(identity), identity.model].filter(Boolean).join(', ')],
    ['holds', holds],
    ['volume', volume],
    ['refused', `it ${state.why}`],
    ['reported', `${reported.report.at}, in the namespace ${reported.namespace}`],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`${`${name}:`.padEnd(10)}${shown(value)}\n`] : []));
  return `${lines.join('')}${agentLines('devices', status)
    .map((line) => `${line}\n`)
    .join('')}\nEverything on it will be lost.\n`;
}

/** A person may take their time. What they agreed to is what they were shown. */
async function findUnchanged(request: Request, shownBefore: Approvable) {
  const now = await find({ ...request, named: shownBefore.volume });
  const { device, identity, state } = now.device;
  const isTheSame =
    device === shownBefore.device && isSame(identity, shownBefore.identity) && state.fact === shownBefore.state.fact;
  if (!isTheSame)
    throw new Error(`nothing was approved: ${shownBefore.volume} is not as it was shown any more. Look at it again`);
  return now;
}
