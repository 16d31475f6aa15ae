/** For tests: maps come, are renewed and go; no machine may be left that nobody has, and nobody may have two. */
import { CONFIG_MAPS } from '../../api/config-maps.ts';
import { LEASES } from '../../kit/lead/lease.ts';
import type { Step, Story } from './simulate.ts';
import type { Simulation } from './simulation.ts';
import { type Bug, RENTED, Renter, toyJob } from './toy.ts';

const MAPS = 6;
const NAMESPACE = 'default';

export function toyStory(bug?: Bug): Story {
  const renters = new WeakMap<Simulation, Renter>();
  let next = new Renter();
  return {
    name: bug ?? 'toy',
    jobs: () => {
      next = new Renter();
      return [{ job: toyJob(next, bug), processes: 2 }];
    },
    begin: (simulation) => {
      renters.set(simulation, next);
      watch(simulation);
    },
    steps,
    storyMs: 180_000,
    settleMs: 300_000,
    outcome,
    faultsAtEnd: (simulation) => leaks(simulation, renters.get(simulation) ?? next),
    writes: { times: 3, more: 30 },
  };
}

/** Each map comes at some time; some expire, of which some are renewed just then; some are deleted soon. */
function steps(random: () => number): readonly Step[] {
  return Array.from({ length: MAPS }, (_, index) => `map-${index}`).flatMap((name) => {
    const ms = Math.floor(random() * 60_000);
    const kind = random();
    const made = { ms, what: `makes ${name}`, act: (it: Simulation) => make(it, name, kind > 0.5) };
    const soon = ms + Math.floor(random() * 1_500);
    if (kind < 0.4) return [made, { ms: soon, what: `deletes ${name}`, act: (it: Simulation) => remove(it, name) }];
    const renewAt = ms + 40_000 + Math.floor(random() * 22_000);
    if (kind > 0.75) return [made, { ms: renewAt, what: `renews ${name}`, act: (it: Simulation) => renew(it, name) }];
    return [made];
  });
}

/** Whether one that expires is renewed in time is a matter of time. */
const outcome = (simulation: Simulation) =>
  mapsOf(simulation)
    .filter(({ data }) => !data?.expires)
    .map(({ metadata, data }) => [metadata.name, data?.machine]);

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

/** Nobody deletes what was renewed, and nobody writes who does not lead. */
function watch(simulation: Simulation): void {
  const { objects } = simulation;
  objects.onChange(CONFIG_MAPS, ({ object, old }) => {
    if (object.metadata.labels?.[RENTED] === undefined) return;
    const isDeleted = object.metadata.deletionTimestamp && !old?.metadata.deletionTimestamp;
    if (isDeleted && object.data?.renewed) simulation.violated(`${object.metadata.name} was renewed, and is deleted`);
    const holder = objects.get(LEASES, `${NAMESPACE}/holdfast-toy`)?.spec?.holderIdentity;
    const writer = object.data?.by;
    if (writer !== undefined && writer !== old?.data?.by && writer !== holder)
      simulation.violated(`${writer} writes, and ${holder} leads`);
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
