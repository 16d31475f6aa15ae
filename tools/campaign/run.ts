/**
 * Plays every story of the simulator with every fault at every call site, with crashes around all that changes something, in a world
 * that changes, and with faults by chance: `node tools/campaign/run.ts [--size small|medium|large|all] [--story NAME] [--seed N]
 * [--minutes N] [--report FILE]`. It ends with 1 if one failed, and says how to see it again.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { STORIES } from '../../src/commands/simulate/stories.ts';
import { seeded } from '../../src/sandbox/seeded.ts';
import { type Case, casesOf } from './cases.ts';
import { minutesOf, seedOf, sizeOf, storiesOf } from './options.ts';
import { playAll, shortened } from './players.ts';
import { type Found, inMarkdown, kindOf, type PlayedCase } from './report.ts';

const EVERY_MS = 10_000;
const BAR = 30;

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: 'small' },
    story: { type: 'string', multiple: true, default: [...STORIES.keys()] },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    report: { type: 'string' },
  },
});

const size = sizeOf(values.size);
const seed = seedOf(values.seed);
const startedAt = performance.now();
const endsAt = startedAt + minutesOf(values.minutes) * 60_000;

const cases = await planned();
console.log(`${cases.length} cases of ${values.story.join(', ')}, seed ${seed}, size ${values.size}`);
const played: PlayedCase[] = [];
const found: Found[] = [];
let lastToldAt = startedAt;
await playAll(cases, {
  until: () => performance.now() > endsAt,
  told: (each, { wrong, struck, replay }) => {
    played.push({ ...each, struck });
    if (wrong.length > 0) {
      found.push({ each, wrong, replay });
      say(`FAILED ${each.story} (${each.part}): ${wrong.join('; ').slice(0, 300)}\n  ${replay}\n`);
    }
    tellProgress();
  },
});
if (process.stderr.isTTY) process.stderr.write('\n');
const campaign = { command: commandLine(), played, planned: cases.length, found: await withShortened() };
const report = inMarkdown(campaign);
if (values.report) writeFileSync(values.report, report);
for (const { shortened: words } of campaign.found) if (words) console.log(`\n${words}`);
const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
console.log(`${played.length} of ${cases.length} cases in ${minutes} minutes: ${found.length} failed`);
process.exitCode = found.length > 0 ? 1 : 0;

/** In an order that chance has made, so that whoever ends early has tried some of everything. */
async function planned(): Promise<readonly Case[]> {
  const all: Case[] = [];
  for (const story of storiesOf(values.story)) all.push(...(await casesOf(story, seed, size)));
  const random = seeded(seed);
  return all
    .map((each) => ({ each, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ each }) => each);
}

function commandLine(): string {
  const given = ['size', 'seed', 'minutes'].map((name) => [name, values[name as 'size']] as const);
  const stories = values.story.length === STORIES.size ? '' : ` STORY="${values.story.join(' ')}"`;
  return `make simulation-campaign${given.map(([name, value]) => (value ? ` ${name.toUpperCase()}=${value}` : '')).join('')}${stories}`;
}

/** The first of each kind, as short as it can be. */
async function withShortened(): Promise<readonly Found[]> {
  const kinds = new Set<string>();
  const told: Found[] = [];
  for (const each of found) {
    const kind = `${each.each.story} ${kindOf(each.wrong)}`;
    const isFirst = !kinds.has(kind);
    kinds.add(kind);
    told.push(isFirst ? { ...each, shortened: await shortened(each.each) } : each);
  }
  return told;
}

function say(line: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : line);
}

/** A bar on a terminal, and a line now and then elsewhere. */
function tellProgress(): void {
  const share = played.length / cases.length;
  const failed = found.length === 0 ? '' : `, ${found.length} failed`;
  if (process.stderr.isTTY) {
    const done = Math.round(share * BAR);
    process.stderr.write(`\r${'█'.repeat(done)}${'░'.repeat(BAR - done)} ${played.length}/${cases.length}${failed}`);
  } else if (performance.now() - lastToldAt > EVERY_MS) {
    lastToldAt = performance.now();
    process.stderr.write(`${played.length}/${cases.length} cases${failed}\n`);
  }
}
