/** The machine that the doctor runs on, and the flags that say what runs there. */
import { hostname } from 'node:os';
import { lookAtMachine, type Machine } from '../../doctor/machine.ts';
import { orphanInWords } from '../../lvm/orphans.ts';
import { choice } from '../flags/choice.ts';
import { flag } from '../flags/flag.ts';
import { listOf } from '../flags/list.ts';
import type { OptionsOf } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import { text } from '../flags/text.ts';
import { hereFlags, hostOf } from '../lvm/here.ts';
import { hereOf, leftOn } from '../lvm/left-here.ts';
import type { Visitor } from '../visit.ts';

export const machineFlags = {
  node: flag('--node', 'also look at the machine that this runs on, as root', onOff, { default: 'false' }),
  nodeName: flag(
    '--node-name',
    'what the cluster calls this machine; otherwise its host name',
    text('node', 'worker-1'),
    {
      emptyIsUnset: true,
      env: 'NODE_NAME',
    },
  ),
  jobs: flag('--jobs', 'which jobs run on this machine', listOf(choice('devices', 'lvm')), { default: 'devices,lvm' }),
  mountBase: hereFlags.mountBase,
  mountNamespace: hereFlags.mountNamespace,
};

/** Without a visitor the cluster could not be asked, which is told. */
export async function lookHere(options: OptionsOf<typeof machineFlags>, visitor: Visitor | string): Promise<Machine> {
  const { jobs, mountBase, mountNamespace, nodeName = hostname() } = options;
  const [host, { root }] = hostOf(options);
  const left = await (async (): Promise<Machine['left']> => {
    if (!jobs.includes('lvm')) return { known: false, why: 'lvm does not run here' };
    if (typeof visitor === 'string') return { known: false, why: visitor };
    try {
      const here = await hereOf(visitor, { nodeName, mountBase, mountNamespace });
      const { orphans, trash } = await leftOn(here, visitor);
      const age = ({ lv, trashedAt }: (typeof trash)[number]) =>
        `${lv.group}/${lv.name} has been in the trash since ${new Date(trashedAt * 1000).toISOString()}`;
      return { known: true, value: { orphans: orphans.map(orphanInWords), trash: trash.map(age) } };
    } catch (error) {
      visitor.signal.throwIfAborted();
      return { known: false, why: error instanceof Error ? error.message : String(error) };
    }
  })();
  return await lookAtMachine({ jobs, commands: host, files: host.files, root, left });
}
