/**
 * Puts small bugs into the decisions and guards of all jobs, one at a time, and sees whether the tests find each:
 * `node tools/mutations/run.ts [--count N] [--seed N] [--only PART] [--from N]`, where `--from` goes on with a run that was
 * cut off. Works on a copy; the checkout is not touched.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutant, mutantsOf } from './operators.ts';
import { type Bench, type Selection, Trials } from './trial.ts';

const root = resolve(import.meta.dirname, '../..');

/** Where it is decided what is done to data. */
const DECISIONS = [
  'src/{topology,devices,lvm,pool,agent}/{decide,guards,drain-decide,placement,volume,approvals,identity,desired,size,tags,names}*.ts',
  'src/lvm/{sight,home,orphans,trash,key-slots,signature,formatting}.ts',
  'src/pool/{drained,members,strays,forecast,refused-pods}.ts',
  'src/sync/{elder,burst}.ts',
  'src/sync/protect/{decide,retention}.ts',
  'src/sync/recover/{decide,judge-volume,judge-claim,breaker,newest,ownership,mapping,removals,adopt,collisions,last-seen}.ts',
  'src/kit/{quantity,duration,names,backoff}.ts',
  'src/kit/kube/retry.ts',
  'src/kit/lead/lease.ts',
];

/** So many seconds of a processor are more than any of the tests takes: a loop that a bug has made endless ends by it, and what waits for others does not. */
const MOST_SECONDS = 300;

/** What is made, and what the copy has by a link. */
const NOT_COPIED = ['.git', 'dist', 'node_modules'];

interface Chosen extends Mutant {
  readonly file: string;
}

class Copy implements Bench {
  readonly #at: string;
  #hasBug: string | undefined;

  constructor(at: string) {
    this.#at = at;
  }

  put({ file, source }: { readonly file: string; readonly source: string }): void {
    this.#hasBug = file;
    writeFileSync(join(this.#at, file), source);
  }

  takeOut(): void {
    if (this.#hasBug) copyFileSync(join(root, this.#hasBug), join(this.#at, this.#hasBug));
    this.#hasBug = undefined;
  }

  pass({ how, project, files }: Selection): boolean {
    const vitest = [how, '--run', '--bail=1', '--reporter=dot', '--passWithNoTests', '--project', project, ...files];
    const limited = `ulimit -t ${MOST_SECONDS}; exec node_modules/.bin/vitest "$@"`;
    return spawnSync('sh', ['-c', limited, 'vitest', ...vitest], { cwd: this.#at }).status === 0;
  }
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    from: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
});

const files = DECISIONS.flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((file) => !file.endsWith('.test.ts') && file.includes(values.only))
  .toSorted();
const all = files.flatMap((file) =>
  mutantsOf(readFileSync(join(root, file), 'utf8')).map((mutant) => ({ file, ...mutant })),
);
const first = Number(values.from) - 1;
const chosen = sample(all, Number(values.count), Number(values.seed));
console.log(
  `${all.length} bugs can be put into ${files.length} files; ${chosen.length} of them are (seed ${values.seed})`,
);

const copy = mkdtempSync(join(tmpdir(), 'holdfast-mutations-'));
try {
  copyCheckout();
  const trials = new Trials(new Copy(copy));
  const survivors = chosen.filter((mutant, index) => index >= first && !isFound(trials, mutant, index));
  report(survivors);
} finally {
  rmSync(copy, { recursive: true });
}

/** All of it: what tests read besides the sources is known to nobody but them. */
function copyCheckout(): void {
  for (const part of readdirSync(root))
    if (!NOT_COPIED.includes(part)) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** A test that does not end has found it, too. */
function isFound(trials: Trials, mutant: Chosen, index: number): boolean {
  const { file, line, bug } = mutant;
  const found = trials.isFound(mutant, selectionsFor(file));
  console.log(`${index + 1}/${chosen.length} ${found ? 'found   ' : 'SURVIVED'} ${file}:${line} ${bug}`);
  return found;
}

/** The tests that import the file themselves, which takes a second, or else the unit tests that lead to it, or else the simulations of its job. */
function selectionsFor(file: string): readonly Selection[] {
  const nearest = importersOf(file);
  return [
    ...(nearest.length > 0 ? [{ how: 'run', project: 'unit', files: nearest } as const] : []),
    { how: 'related', project: 'unit', files: [file] },
    simulationsOf(file),
  ];
}

/** The unit tests in the file's own folder that import it. */
function importersOf(file: string): readonly string[] {
  const { dir, base } = parse(file);
  return globSync(join(dir, '*.test.ts'), { cwd: copy, exclude: ['**/*.simulation.test.ts'] }).filter((test) =>
    readFileSync(join(copy, test), 'utf8').includes(`from './${base}'`),
  );
}

/** What all jobs stand on is in the simulations of all of them. */
function simulationsOf(file: string): Selection {
  const [, job = ''] = file.split('/');
  return job === 'kit'
    ? { how: 'related', project: 'simulation', files: [file] }
    : { how: 'run', project: 'simulation', files: [`src/${job}/`] };
}

function report(survivors: readonly Chosen[]): void {
  const tried = chosen.length - first;
  const found = tried - survivors.length;
  for (const { file, line, before, after } of survivors) console.log(`\n${file}:${line}\n  - ${before}\n  + ${after}`);
  console.log(`\n${found} of ${tried} found: ${((found / tried) * 100).toFixed(1)} %`);
  if (values.json) writeFileSync(values.json, JSON.stringify({ seed: values.seed, count: tried, found, survivors }));
}

/** Repeatable from its seed. */
function sample<T>(from: readonly T[], count: number, seed: number): readonly T[] {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return from
    .map((item) => ({ item, order: random() }))
    .toSorted((one, other) => one.order - other.order)
    .slice(0, count)
    .map(({ item }) => item);
}
