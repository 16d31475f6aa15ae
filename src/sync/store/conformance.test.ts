import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../kit/clock/clock.ts';
import { storeConformance } from './conformance.ts';
import { FileStore } from './file.ts';
import { SimulatedStore } from './simulated-store.ts';

const simulated = async () => {
  const store = new SimulatedStore(systemClock);
  for (const fault of ['denied', 'noBucket', 'unavailable'] as const)
    store.inject({ who: fault, times: Number.POSITIVE_INFINITY }, { kind: 'fail', as: fault });
  const [denied, noBucket, unavailable] = [store.as('denied'), store.as('noBucket'), store.as('unavailable')];
  return {
    store: store.as('east'),
    other: store.as('west'),
    broken: { denied, noBucket, unavailable },
    async [Symbol.asyncDispose]() {},
  };
};

/** In memory, where there is such a place: thousands of small writes would wait for a disk. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const inADirectory = async () => {
  const directory = await mkdtemp(join(PLACE, 'holdfast-objects-'));
  const open = (path: string) => new FileStore({ directory: path, clock: systemClock, random: Math.random });
  return {
    store: open(directory),
    other: open(directory),
    broken: { noBucket: open(join(directory, 'none')) },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
};

storeConformance('the simulated store', simulated, { large: 1_000_000, moreThanAPage: 1_100 });

/** It has no pages, and is read in pieces of a mebibyte. */
storeConformance('a directory', inADirectory, { large: 2_500_000, moreThanAPage: 100 });
