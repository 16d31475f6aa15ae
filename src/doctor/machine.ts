/** Looks at the machine that the doctor runs on: which programs it has, and what its kernel can do. */
import type { Commands } from '../kit/host/command.ts';
import type { Files } from '../kit/host/files.ts';
import type { Known } from '../kit/known.ts';
import { MODULES, TOOLS } from './needs.ts';

export interface Machine {
  readonly jobs: readonly string[];
  readonly tools: ReadonlyMap<string, Known<boolean>>;
  readonly modules: ReadonlyMap<string, Known<ModuleState>>;
  /** What belongs to no volume, as sentences; and what is in the trash. */
  readonly left: Known<{ readonly orphans: readonly string[]; readonly trash: readonly string[] }>;
}

export type ModuleState = 'loaded' | 'built-in' | 'can-be-loaded' | 'absent';

export interface MachineParts {
  readonly jobs: readonly string[];
  readonly commands: Pick<Commands, 'isInstalled'>;
  readonly files: Pick<Files, 'readText' | 'stat'>;
  /** Where the root directory of the machine is seen from here. */
  readonly root: string;
  readonly left: Machine['left'];
}

/** The list of the modules that a kernel comes with is some hundred kilobytes. */
const MOST_BYTES = 8 * 2 ** 20;

export async function lookAtMachine({ jobs, commands, files, root, left }: MachineParts): Promise<Machine> {
  const isNeeded = (need: { readonly jobs: readonly string[] }) => need.jobs.some((job) => jobs.includes(job));
  const tools = TOOLS.filter(isNeeded).map(
    async ({ name }) => [name, await known(commands.isInstalled(name))] as const,
  );
  const kernel = await known(kernelOf(files, root));
  const modules = MODULES.filter(isNeeded).map(async ({ name }) => {
    if (!kernel.known) return [name, kernel] as const;
    return [name, await known(stateOf(name, kernel.value, files))] as const;
  });
  return { jobs, tools: new Map(await Promise.all(tools)), modules: new Map(await Promise.all(modules)), left };
}

async function known<T>(look: Promise<T>): Promise<Known<T>> {
  try {
    return { known: true, value: await look };
  } catch (error) {
    return { known: false, why: error instanceof Error ? error.message : String(error) };
  }
}

interface Kernel {
  readonly release: string;
  /** Nothing where the kernel has no modules that can be loaded. */
  readonly loaded: string | undefined;
  /** Nothing where its modules are not on this machine. */
  readonly builtIn: string | undefined;
  readonly loadable: string | undefined;
}

async function kernelOf(files: MachineParts['files'], root: string): Promise<Kernel> {
  const release = (await files.readText('/proc/sys/kernel/osrelease'))?.trim() ?? '';
  const listed = (file: string) => files.readText(`${root}/lib/modules/${release}/${file}`, { maxBytes: MOST_BYTES });
  return {
    release,
    loaded: await files.readText('/proc/modules', { maxBytes: MOST_BYTES }),
    builtIn: await listed('modules.builtin'),
    loadable: await listed('modules.dep'),
  };
}

/** The kernel calls `dm-thin-pool.ko` dm_thin_pool. */
async function stateOf(name: string, kernel: Kernel, files: MachineParts['files']): Promise<ModuleState> {
  const file = new RegExp(`(^|/)${name.replaceAll('_', '[-_]')}\\.ko`, 'm');
  if (new RegExp(`^${name} `, 'm').test(kernel.loaded ?? '')) return 'loaded';
  if (file.test(kernel.builtIn ?? '')) return 'built-in';
  if (await files.stat(`/sys/module/${name}`)) return 'built-in';
  if (file.test(kernel.loadable ?? '')) return 'can-be-loaded';
  // Without modules at all, or without its list of them, nothing tells what is built in and has no settings.
  if (kernel.builtIn === undefined)
    throw new Error(`there is no list of what the kernel ${kernel.release} has built in`);
  return 'absent';
}
