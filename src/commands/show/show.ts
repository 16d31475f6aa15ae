/** Shows what a command has looked at: once, or again and again until the person has seen enough. */
import { systemClock } from '../../kit/clock/clock.ts';
import { clusterFlags } from '../flags/cluster.ts';
import { flag } from '../flags/flag.ts';
import type { OptionsOf } from '../flags/options.ts';
import { onOff } from '../flags/switch.ts';
import type { Terminal } from '../line/command.ts';
import { UsageError } from '../line/usage-error.ts';
import { NotWell, type Verdict } from '../line/verdict.ts';
import { asPage, pageFlag } from '../output.ts';
import type { Page } from '../page/page.ts';
import { type TimedVisitor, visit } from '../visit.ts';
import { watch } from './watch.ts';

/** Of every command that shows how things are. */
export const showFlags = {
  ...clusterFlags,
  output: pageFlag,
  watch: flag('-w, --watch', 'show it again whenever it has changed, until Ctrl-C', onOff, { default: 'false' }),
};

/** Of those that can tell whether a person is needed. A script must not take what could not be looked at for well. */
export const exitCodeFlag = {
  exitCode: flag('--exit-code', 'end with 3 when something needs a person, with 4 when it is not known', onOff, {
    default: 'false',
  }),
};

export interface Showing<T> {
  /** The command, as the API server is told it. */
  readonly name: string;
  readonly look: (visitor: TimedVisitor, terminal: Terminal) => Promise<T>;
  readonly page: (value: T) => Page;
  readonly verdict?: (value: T) => Verdict;
}

export type ShowOptions = OptionsOf<typeof showFlags> & Partial<OptionsOf<typeof exitCodeFlag>>;

export async function show<T>(showing: Showing<T>, options: ShowOptions, terminal: Terminal): Promise<void> {
  const { name, look, page, verdict } = showing;
  const { output, exitCode = false } = options;
  if (options.watch) {
    if (exitCode) throw new UsageError('--exit-code is for one look, and --watch never ends by itself: leave one out');
    await visit(name, options, terminal, (visitor) =>
      watch(showing, { visitor, terminal, output, clock: systemClock }),
    );
    return;
  }
  const value = await visit(name, options, terminal, (visitor) => look(visitor, terminal));
  terminal.stdout.write(await asPage(value, output, terminal, page));
  const found = verdict?.(value) ?? 'well';
  if (exitCode && found !== 'well') throw new NotWell(found);
}
