/** What `bench/run.ts` can be told, and what it says to who asks, or told it something else. */
import { parseArgs } from 'node:util';
import { nearest } from '../../src/commands/nearest.ts';

export interface Options {
  readonly groups: readonly string[];
  readonly only: readonly string[];
  readonly rounds: number;
  readonly quick: boolean;
  readonly largest: number;
  readonly minutes: number;
  readonly renew: boolean;
  readonly record: boolean;
  readonly help: boolean;
}

/** Of the one who called it: to be said without a stack. */
export class UsageError extends Error {}

const FLAGS = {
  only: { type: 'string', multiple: true },
  rounds: { type: 'string' },
  quick: { type: 'boolean', default: false },
  largest: { type: 'string' },
  minutes: { type: 'string' },
  renew: { type: 'boolean', default: false },
  record: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const NAMES = Object.keys(FLAGS).map((name) => `--${name}`);

/** How long a soak takes at least. */
const WHOLE_MINUTES = 20;

/** `known` are the groups that there are. */
export function optionsOf(args: readonly string[], known: readonly string[]): Options {
  const { values, positionals } = parsed(args);
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw noSuch('benchmark group', unknown, known);
  const { only = [], quick, renew, record, help } = values;
  return {
    groups: positionals.length > 0 ? positionals : known,
    only,
    quick,
    renew,
    record,
    help,
    rounds: positive('--rounds', values.rounds) ?? (quick ? 1 : 3),
    largest: positive('--largest', values.largest) ?? Number.POSITIVE_INFINITY,
    minutes: positive('--minutes', values.minutes) ?? (quick ? 2 : WHOLE_MINUTES),
  };
}

/** Whether it measures everything: a part of the figures would push the others out of the page. */
export const isOfAll = ({ only, largest }: Options): boolean =>
  only.length === 0 && largest === Number.POSITIVE_INFINITY;

/** And as carefully as what is recorded. */
export const isWhole = (options: Options): boolean =>
  isOfAll(options) && !options.quick && options.minutes >= WHOLE_MINUTES;

function parsed(args: readonly string[]) {
  const unknown = args.find((arg) => arg.startsWith('--') && arg !== '--' && !NAMES.includes(arg.replace(/=.*/s, '')));
  if (unknown !== undefined) throw noSuch('option', unknown.replace(/=.*/s, ''), NAMES);
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: FLAGS });
  } catch (error) {
    // Node says which value is missing, or is too many, and how to write it.
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function positive(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number > 0)) throw new UsageError(`${flag} is a number above 0, and not "${text}"`);
  return number;
}

function noSuch(what: string, typed: string, known: readonly string[]): UsageError {
  const [near] = nearest(typed, known);
  const hint = near ? `did you mean ${near}?` : `there are ${known.join(', ')}`;
  return new UsageError(`there is no ${what} ${typed}: ${hint}`);
}

/** What each group is about, by its name. */
export const help = (
  groups: ReadonlyMap<string, string>,
): string => `Measures Holdfast beside the least that the same work can cost.

Usage: node bench/run.ts [GROUP…] [options]    or: make bench GROUP='GROUP…'

Groups, all unless some are named:
${[...groups].map(([name, about]) => `  ${name.padEnd(10)} ${firstSentence(about)}`).join('\n')}

Options:
  --quick           small sizes and one round: to see that it runs; results go to bench/results/GROUP.local.json
  --only BENCHMARK  only this one of the group, as the group's page calls it; may be given several times
  --rounds K        each figure is the median of so many rounds (3)
  --largest N       leave larger sizes out, in groups that have several
  --minutes M       how long a soak takes (20)
  --renew           put what --only or --largest measured into the recorded results, marked with its date
  --record          record the results of a whole run although ratios are worse than the recorded ones
  -h, --help        this

A whole run writes bench/results/GROUP.json and GROUP.md; then make docs brings docs/benchmarks.md up to date. Where ratios are worse, what is
recorded stays, so that the next run is compared with it, too, and the results go to GROUP.local.json; as do those of a soak of less than 20 minutes.
The run ends with 1 when a target was missed, or a ratio is more than 20 % worse than the recorded one, and says which.

Examples:
  node bench/run.ts topology --quick            does it run?
  node bench/run.ts kit --only start --renew    measure one of them once more
  node bench/run.ts soak --minutes 60           an hour instead of twenty minutes
`;

const firstSentence = (about: string): string => /^.*?[.:](?= |$)/s.exec(about)?.[0].replace(/[.:]$/, '') ?? about;
