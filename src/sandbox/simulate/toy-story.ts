/** For tests: maps come, are renewed and go; no machine may be left that nobody has, and nobody may have two. */
import { CONFIG_MAPS } from '../../api/config-maps.ts';
import type { Random } from '../../kit/backoff.ts';
import type { Stage, Step, Story } from './simulate.ts';
import type { JobProcesses, Simulation } from './simulation.ts';
import { type Bug, RENTED, Renter, toyJob } from './toy.ts';

const MAPS = 6;
const NAMESPACE = 'default';

export const toyStory = (bug?: Bug): Story => ({
  name: bug ?? 'toy',
  stage: (simulation) => new ToyStage(simulation, bug),
  storyMs: 180_000,
  settleMs: 300_000,
  writes: { times: 3, more: 30 },
});

class ToyStage implements Stage {
  readonly jobs: readonly JobProcesses[];
  readonly #simulation: Simulation;
  readonly #renter = new Renter();

  constructor(simulation: Simulation, bug: Bug | undefined) {
    this.#simulation = simulation;
    this.jobs = [{ job: toyJob(this.#renter, bug), processes: 2 }];
    watch(simulation);
  }

  /** Each map comes at some time; some expire, of which some are renewed just then; some are deleted soon. */
  steps(random: Random): readonly Step[] {
    return Array.from({ length: MAPS }, (_, index) => `map-${index}`).flatMap((name) => {
      const ms = Math.floor(random() * 60_000);
      const kind = random();
      const made = { ms, what: `makes ${name}`, act: () => make(this.#simulation, name, kind > 0.5) };
      const soon = ms + Math.floor(random() * 1_500);
      if (kind < 0.4) return [made, { ms: soon, what: `deletes ${name}`, act: () => remove(this.#simulation, name) }];
      const renewAt = ms + 40_000 + Math.floor(random() * 22_000);
      if (kind > 0.75) return [made, { ms: renewAt, what: `renews ${name}`, act: () => renew(this.#simulation, name) }];
      return [made];
    });
  }

  /** Whether one that expires is renewed in time is a matter of time. */
  outcome(): unknown {
    return mapsOf(this.#simulation)
      .filter(({ data }) => !data?.expires)
      .map(({ metadata, data }) => [metadata.name, data?.machine]);
  }

  wrong(): readonly string[] {
    return leaks(this.#simulation, this.#renter);
  }
}

const mapsOf = ({ objects }: Simulation) =>
  objects.list(CONFIG_MAPS).filter(({ metadata }) => metadata.labels?.[RENTED] !== undefined);

function make({ objects }: Simulation, name: string, expires: boolean): void {
  const data: Record<string, string> = expires ? { expires: 'yes' } : {};
  objects.create(CONFIG_MAPS, { metadata: { name, namespace: NAMESPACE, labels: { [RENTED]: '' } }, data });
}

function remove({ objects }: Simulation, name: string): void {
  if (objects.get(CONFIG_MAPS, `${NAMESPACE}/${name}`)) objects.remove(CONFIG_MAPS, `${NAMESPACE}/${name}`);
}

/** If it is still there. */
function renew({ objects }: Simulation, name: string): void {
  const map = objects.get(CONFIG_MAPS, `${NAMESPACE}/${name}`);
  if (map && !map.metadata.deletionTimestamp)
    objects.update(CONFIG_MAPS, { ...map, data: { ...map.data, renewed: 'yes' } });
}

/** Nobody deletes what was renewed. That nobody writes who does not lead holds for every job. */
function watch(simulation: Simulation): void {
  simulation.objects.onChange(CONFIG_MAPS, ({ object, old }) => {
    if (object.metadata.labels?.[RENTED] === undefined) return;
    const isDeleted = object.metadata.deletionTimestamp && !old?.metadata.deletionTimestamp;
    if (isDeleted && object.data?.renewed) simulation.violated(`${object.metadata.name} was renewed, and is deleted`);
  });
}

function leaks(simulation: Simulation, renter: Renter): readonly string[] {
  const owners = new Map(mapsOf(simulation).map(({ metadata }) => [metadata.uid ?? '', metadata.name]));
  const left = [...renter.machines].filter(([, owner]) => !owners.has(owner));
  const twice = [...owners].filter(([uid]) => renter.of(uid).length > 1);
  const stuck = mapsOf(simulation).filter(({ metadata }) => metadata.deletionTimestamp);
  return [
    ...left.map(([machine]) => `nobody has ${machine}`),
    ...twice.map(([, name]) => `${name} has two machines`),
    ...stuck.map(({ metadata }) => `${metadata.name} is not let go`),
  ];
}
