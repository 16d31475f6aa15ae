/** A sandbox with so many objects and watchers, what it holds, and what is resident. */
import { CONFIG_MAPS } from '../../../src/api/config-maps.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { Cluster } from '../../../src/sandbox/cluster.ts';

/** In MB: what the heap holds after a collection, and what the process has of the machine, which is never given back at once. */
interface Memory {
  readonly held: number;
  readonly resident: number;
}

export interface Held {
  readonly empty: Memory;
  readonly full: Memory;
  readonly later: Memory;
  readonly missed: number;
}

const [objects = 0, watchers = 0] = process.argv.slice(2).map(Number);
const BREATH = 100;
/** Longer than what the sandbox remembers of a resource. */
const HISTORY = 6_000;
const cluster = new Cluster({ clock: systemClock, random: Math.random });
const transport = cluster.transport();
const end = new AbortController();
const seen = Array.from({ length: watchers }, () => 0);
const breath = () => new Promise((resolve) => setImmediate(resolve));

/** When every watcher has read what there is, and what nobody needs is gone. */
async function memory(): Promise<Memory> {
  for (let turn = 0; turn < 100; turn++) await breath();
  for (let turn = 0; turn < 2; turn++) globalThis.gc?.(); // buffers go only after what has held them
  const { heapUsed, external, rss } = process.memoryUsage();
  return { held: (heapUsed + external) / 2 ** 20, resident: rss / 2 ** 20 };
}

async function watch(index: number): Promise<void> {
  const path = '/api/v1/namespaces/default/configmaps?watch=true';
  const { body } = await transport.request({ method: 'GET', path, headers: {}, signal: end.signal, longLived: true });
  try {
    for await (const chunk of body)
      seen[index] = (seen[index] ?? 0) + Buffer.from(chunk).filter((byte) => byte === 10).length;
  } catch (error) {
    if (!end.signal.aborted) throw error;
  }
}

const data = { text: 'x'.repeat(200) };
const empty = await memory();
const watching = seen.map((_, index) => watch(index));
for (let index = 0; index < objects; index++) {
  cluster.objects.create(CONFIG_MAPS, { metadata: { name: `map-${index}`, namespace: 'default' }, data });
  if (index % BREATH === 0) await breath();
}

async function change(round: number): Promise<void> {
  for (let index = 0; index < objects; index += 10) {
    const map = cluster.objects.get(CONFIG_MAPS, `default/map-${index}`);
    if (map) cluster.objects.update(CONFIG_MAPS, { ...map, data: { ...data, round: `${round}` } });
    if (index % BREATH === 0) await breath();
  }
}

/** Rounds until history is as long as it gets, and as many again. */
const rounds = Math.max(3, Math.ceil(HISTORY / Math.ceil(objects / 10)));
for (let round = 1; round <= rounds; round++) await change(round);
const full = await memory();
for (let round = 1; round <= rounds; round++) await change(rounds + round);
const later = await memory();
const expected = objects + 2 * rounds * Math.ceil(objects / 10);
const missed = Math.max(...seen.map((count) => expected - count));
end.abort();
await Promise.allSettled(watching);
process.stdout.write(JSON.stringify({ empty, full, later, missed } satisfies Held));
