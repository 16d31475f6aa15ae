/** `holdfast demo`: all of it at work on two clusters in this process, told as it happens. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aborted } from '../../kit/clock/aborted.ts';
import { systemClock } from '../../kit/clock/clock.ts';
import { MortalClock } from '../../kit/clock/mortal.ts';
import { scaledClock } from '../../kit/clock/scaled.ts';
import { stopSignals } from '../../kit/manager/stop-signals.ts';
import { flag } from '../flags/flag.ts';
import { integer } from '../flags/integer.ts';
import { type OptionsOf, runs } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import { text } from '../flags/text.ts';
import type { Define, Terminal } from '../line/command.ts';
import { addExamples } from '../line/help.ts';
import { reader } from '../line/reader.ts';
import { UsageError } from '../line/usage-error.ts';
import { hasColours } from '../page/colours.ts';
import { calledFrom } from './called-from.ts';
import { openConsole } from './console.ts';
import { Narrator } from './narrator.ts';
import { story } from './story.ts';
import { DemoWorld } from './world.ts';

const flags = {
  /** True when it is given: what it turns off is not a flag. */
  story: flag('--no-story', 'start both clusters and all jobs, and tell nothing', onOff, { default: 'false' }),
  once: flag('--once', 'play the story, see that all of it is true, and end with 0, or else with 1', onOff, {
    default: 'false',
  }),
  speed: flag('--speed', 'how many times as fast time passes in the clusters', integer(1, 100), { default: '4' }),
  port: flag(
    '--port',
    'the port of the protected cluster; the other has the next. 0 for any that are free',
    integer(0, 65_534),
    {
      default: '0',
    },
  ),
  consolePort: flag('--console-port', 'the port of the console; 0 for any that is free', integer(0, 65_535), {
    default: '0',
  }),
  kubeconfigOut: flag(
    '--kubeconfig-out',
    'the directory to write the kubeconfigs to, one for each cluster; they stay when the demo ends',
    text('directory', './demo'),
  ),
};

/** How long a person is given to read each chapter. */
const PAUSE_MS = 1_500;

export const define: Define = (command, terminal) => {
  addExamples(command, {
    'holdfast demo': 'a story in five chapters; then the recovery cluster stays until Ctrl-C',
    'holdfast demo --no-story --kubeconfig-out .': 'two clusters to try things on',
    'holdfast demo --once': 'for scripts: is all of the story true?',
  });
  runs(command, flags, terminal, (options) => demo(options, terminal));
};

async function demo(options: OptionsOf<typeof flags>, terminal: Terminal): Promise<void> {
  if (options.once && options.story) throw new UsageError('--once plays the story: leave --no-story out');
  using stopping = stopSignals(process, () => {});
  using reading = reader();
  await using directory = await temporary();
  const kubeconfigs = options.kubeconfigOut ?? directory.path;
  await mkdir(kubeconfigs, { recursive: true });
  const clock = new MortalClock(scaledClock(systemClock, options.speed));
  using _end = { [Symbol.dispose]: () => clock.die() }; // whatever still waits for a time keeps nobody
  await using world = await DemoWorld.open({ clock, directory: directory.path, kubeconfigs, port: options.port });
  const { protectedSite, recoverySite } = world;
  await using console = await openConsole([protectedSite, recoverySite], {
    store: world.store,
    port: options.consolePort,
    audit: (line) => terminal.stderr.write(line),
  });
  terminal.stdout.write(
    `Two clusters in this process, with six nodes in three zones each, and all five jobs at work:\n\n` +
      `  export KUBECONFIG=${protectedSite.kubeconfig}   # protected\n` +
      `  export KUBECONFIG=${recoverySite.kubeconfig}   # recovery\n\n` +
      `The console is at ${console.url}\n`,
  );
  const signal = AbortSignal.any([stopping.signal, reading.gone]);
  const pauseMs = options.once ? 0 : PAUSE_MS;
  const narrator = new Narrator({
    terminal,
    isStyled: hasColours(terminal),
    signal,
    pauseMs,
    console: console.url,
    program: calledFrom(process.cwd(), process.argv[1] ?? ''),
    failure: () => world.failure,
  });
  try {
    if (!options.story) await story(world, narrator);
    if (options.once) return;
    const left = options.story ? 'Both clusters stay' : 'The recovery cluster stays';
    terminal.stdout.write(`\n${left} until Ctrl-C, which leaves nothing behind but kubeconfigs that you asked for.\n`);
    await aborted(signal);
  } catch (error) {
    if (!signal.aborted || options.once) throw error;
  }
}

async function temporary(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
