/** pool: 3 → 5 → 2 agents, with every blob counted before and after. */
import { randomBytes } from 'node:crypto';
import { PODS } from '../../../api/pods.ts';
import { PV_POOLS } from '../../../pool/contract.ts';
import { bytesSource, PoolClient } from '../../../pool-client/index.ts';
import type { Narrator } from '../narrator.ts';
import { CLASS } from '../site.ts';
import type { DemoWorld } from '../world.ts';

const NAME = 'blobs';
const KEY = `default/${NAME}`;
const BLOBS = 60;
const BLOB_BYTES = 64 * 1024;

export async function pools(world: DemoWorld, narrator: Narrator): Promise<void> {
  const { objects } = world.protectedSite;
  await narrator.chapter('A pool of storage agents scales 3 → 5 → 2, and drains before anybody leaves');
  objects.create(PV_POOLS, {
    metadata: { name: NAME, namespace: 'default' },
    spec: { image: 'holdfast', numPVs: 3, pvSizeGB: 1, storageClass: CLASS, args: ['storage-agent'] },
  });
  await ready(world, narrator, 3);
  using client = new PoolClient({ agents: async () => world.agents.peers, token: () => world.agents.token(NAME) });
  const stored = new Map<string, Buffer>();
  for (let index = 0; index < BLOBS; index++) {
    const [key, bytes] = [`blob-${index}`, randomBytes(BLOB_BYTES)];
    await client.put(key, bytesSource(bytes));
    stored.set(key, bytes);
  }
  const kept = (await Array.fromAsync(client.list())).reduce((sum, { size }) => sum + size, 0);
  const mebibytes = (stored.size * BLOB_BYTES) / 2 ** 20;
  narrator.check(`3 agents hold ${stored.size} blobs, ${mebibytes} MiB on real disks`, kept === mebibytes * 2 ** 20);
  resize(world, 5);
  await ready(world, narrator, 5);
  narrator.tell('there are 5 agents now');
  resize(world, 2);
  await ready(world, narrator, 2, (operation) => narrator.tell(operation));
  narrator.check(
    '3 agents have handed over what they had, and were seen empty before they went',
    world.agents.left.length === 3 && world.agents.left.every(({ wasEmpty }) => wasEmpty),
  );
  let same = 0;
  for (const [key, bytes] of stored) {
    const found = await client.get(key);
    if (found && Buffer.concat(await Array.fromAsync(found.body)).equals(bytes)) same += 1;
  }
  narrator.check(`all ${stored.size} blobs are there, byte for byte`, same === stored.size);
  narrator.kubectl(`get pvpool ${NAME}`, world.protectedSite);
  narrator.show(`pools/${KEY}`);
}

function resize({ protectedSite: { objects } }: DemoWorld, numPVs: number): void {
  const known = objects.get(PV_POOLS, KEY);
  if (known) objects.update(PV_POOLS, { ...known, spec: { ...known.spec, numPVs } });
}

/** Tells of each operation that it sees on the way. */
async function ready(
  { protectedSite: { objects }, agents }: DemoWorld,
  narrator: Narrator,
  count: number,
  operation: (text: string) => void = () => {},
): Promise<void> {
  let told = '';
  await narrator.until(`the pool has ${count} agents`, () => {
    const { status, metadata } = objects.get(PV_POOLS, KEY) ?? {};
    const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
    if (progress?.status === 'True' && progress.message !== told) {
      told = progress.message;
      operation(told);
    }
    const pods = objects.list(PODS).filter(({ metadata: { labels } }) => labels?.['pv-pool'] === NAME);
    const isAtRest = status?.phase === 'Ready' && status.observedGeneration === metadata?.generation;
    return isAtRest && progress?.status === 'False' && pods.length === count && agents.peers.length === count;
  });
}
