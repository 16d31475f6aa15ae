/** A sandbox with so many objects and watchers, and what is resident. */
import { CONFIG_MAPS } from '../../../src/api/config-maps.ts';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { Cluster } from '../../../src/sandbox/cluster.ts';

export interface Held {
  readonly emptyMb: number;
  readonly mb: number;
  readonly laterMb: number;
  readonly missed: number;
}

const [objects = 0, watchers = 0] = process.argv.slice(2).map(Number);
const BREATH = 100;
const cluster = new Cluster({ clock: systemClock, random: Math.random });
const transport = cluster.transport();
const end = new AbortController();
const seen = Array.from({ length: watchers }, () => 0);
const breath = () => new Promise((resolve) => setImmediate(resolve));

function residentMb(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss / 2 ** 20;
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
const emptyMb = residentMb();
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

await change(1);
const mb = residentMb();
for (let round = 2; round <= 11; round++) await change(round);
for (let turn = 0; turn < 100; turn++) await breath();
const laterMb = residentMb();
const expected = objects + 11 * Math.ceil(objects / 10);
const missed = Math.max(...seen.map((count) => expected - count));
end.abort();
await Promise.allSettled(watching);
process.stdout.write(JSON.stringify({ emptyMb, mb, laterMb, missed } satisfies Held));
