/** The job itself, put together as its command does it, from its start until every volume is labelled. */
import { openSync, writeSync } from 'node:fs';
import { systemClock } from '../../../src/kit/clock/clock.ts';
import { type ProgramParts, runProgram } from '../../../src/kit/manager/program.ts';
import type { Runnable } from '../../../src/kit/manager/stage.ts';
import { openLog } from '../../../src/kit/observe/open-log.ts';
import { DEFAULT_POLICY } from '../../../src/topology/contract.ts';
import { topology } from '../../../src/topology/controller.ts';
import { RawClient } from '../../../test/harness/raw-client.ts';
import { eventually } from '../../../test/harness/wait.ts';
import type { Contend } from '../../measure/contender.ts';
import { type Access, clusterAccessTo } from '../../world/access.ts';
import { countLabelled, countPatches } from '../../world/labelled.ts';

export interface LabelAll {
  readonly access: Access;
  readonly volumes: number;
}

/** The phases: until the caches are complete, and from there until the last volume is labelled. */
export const READ = 'read';
export const LABEL = 'label';

const SETTINGS = { policy: DEFAULT_POLICY, selector: '', narrowAfterMs: 30_000, resyncMs: 3_600_000, dryRun: false };
const PATIENCE = { timeout: 1_200_000, interval: 20 };

const labelAll: Contend<LabelAll> = async ({ access, volumes }, meter) => {
  const hold = new Hold();
  const stop = new AbortController();
  let count: ProgramParts['metrics'] | undefined;
  const setUp = (parts: ProgramParts) => {
    count = parts.metrics;
    return topology(parts, SETTINGS).map((controller) => hold.back(controller));
  };
  const written = () => counted(count, 'holdfast_topology_writes_total', { result: 'written' });
  await using admin = new RawClient(access);
  const before = await countPatches(admin);

  let ended: Promise<void> = Promise.resolve();
  await meter.measure(READ, async () => {
    ended = runProgram({ ...program(access), setUp }, stop.signal);
    await Promise.race([hold.reached, ended]);
  });
  await meter.measure(LABEL, async () => {
    hold.release();
    await eventually(async () => (await written()) >= volumes, { ...PATIENCE, for: `${volumes} labelled volumes` });
  });
  meter.count('requests', await counted(count, 'rest_client_requests_total'));
  meter.count('writes', (await countPatches(admin)) - before);
  meter.count('labelled', await countLabelled(admin));
  stop.abort();
  await ended;
};

/** Keeps controllers from starting until they may, so that reading and labelling can be told apart. */
class Hold {
  readonly #reached = Promise.withResolvers<void>();
  readonly #released = Promise.withResolvers<void>();
  readonly reached = this.#reached.promise;

  back(runnable: Runnable): Runnable {
    const run = async (signal: AbortSignal) => {
      this.#reached.resolve();
      await this.#released.promise;
      await runnable.run(signal);
    };
    return { name: runnable.name, run };
  }

  release(): void {
    this.#released.resolve();
  }
}

/** Its log is written line by line, as ever, to where nobody reads it. */
function program(access: Access) {
  const nowhere = openSync('/dev/null', 'w');
  return {
    name: 'topology',
    version: '0',
    instance: 'bench',
    access: clusterAccessTo(access),
    clock: systemClock,
    random: Math.random,
    log: openLog({ clock: systemClock, level: 'info', output: { write: (text) => writeSync(nowhere, text) } }),
  };
}

/** The sum of a counter over all that match the labels. */
async function counted(
  metrics: ProgramParts['metrics'] | undefined,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const { values = [] } = (await metrics?.registry.getSingleMetric(name)?.get()) ?? {};
  return values
    .filter((each) => Object.entries(labels).every(([key, value]) => each.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

export default labelAll;
