/**
 * Puts small bugs into the decisions and guards of all jobs, one at a time, and sees whether the tests find each:
 * `node tools/mutations/run.ts [--count N] [--seed N] [--only PART] [--from N]`, where `--from` goes on with a run that was
 * cut off. Works on a copy; the checkout is not touched.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, parse, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutant, mutantsOf } from './operators.ts';

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

interface Chosen extends Mutant {
  readonly file: string;
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
  for (const part of [
    'src',
    'test',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
    'tools',
    'deploy',
    'docs',
    'charts',
  ])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const survivors = chosen.filter((mutant, index) => index >= first && !isFound(mutant, index));
  report(survivors);
} finally {
  rmSync(copy, { recursive: true });
}

/**
 * By the tests that import the file themselves, which takes a second, or else by the unit tests that lead to it, or else by the
 * simulations of its job. A test that does not end has found it, too.
 */
function isFound({ file, source, line, bug }: Chosen, index: number): boolean {
  const path = join(copy, file);
  const before = readFileSync(path, 'utf8');
  const nearest = importersOf(file);
  writeFileSync(path, source);
  const found =
    (nearest.length > 0 && testsFail('run', 'unit', nearest)) ||
    testsFail('related', 'unit', [file]) ||
    simulationsFail(file);
  writeFileSync(path, before);
  console.log(`${index + 1}/${chosen.length} ${found ? 'found   ' : 'SURVIVED'} ${file}:${line} ${bug}`);
  return found;
}

/** The unit tests in the file's own folder that import it. */
function importersOf(file: string): readonly string[] {
  const { dir, base } = parse(file);
  return globSync(join(dir, '*.test.ts'), { cwd: copy, exclude: ['**/*.simulation.test.ts'] }).filter((test) =>
    readFileSync(join(copy, test), 'utf8').includes(`from './${base}'`),
  );
}

/** What all jobs stand on is in the simulations of all of them. */
function simulationsFail(file: string): boolean {
  const [, job = ''] = file.split('/');
  return job === 'kit' ? testsFail('related', 'simulation', [file]) : testsFail('run', 'simulation', [`src/${job}/`]);
}

function testsFail(how: 'run' | 'related', project: string, files: readonly string[]): boolean {
  const vitest = [how, '--run', '--bail=1', '--reporter=dot', '--passWithNoTests', '--project', project, ...files];
  const limited = `ulimit -t ${MOST_SECONDS}; exec node_modules/.bin/vitest "$@"`;
  const { status } = spawnSync('sh', ['-c', limited, 'vitest', ...vitest], { cwd: copy });
  return status !== 0;
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
