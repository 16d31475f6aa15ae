/**
 * Every read and write of a device waits in a thread of libuv's pool. It has four, which one device alone keeps busy, and with them
 * everything else that the program does with files.
 */
import { IN_FLIGHT } from './writers.ts';

/** For whatever else uses files, names of hosts or compression meanwhile. */
const OTHERS = 4;
/** More than this libuv does not make. */
const MOST = 1024;

/**
 * Makes the pool wide enough for so many wipes at a time. It is made when it is first used, with what the environment says by then:
 * to be called before anything else is done. What a person has set stays.
 */
export function widenThreadPool(wipesAtOnce: number, env: NodeJS.ProcessEnv = process.env): void {
  env.UV_THREADPOOL_SIZE ||= String(Math.min(MOST, wipesAtOnce * IN_FLIGHT + OTHERS));
}

/** As many as libuv makes when nobody says anything. */
const BY_DEFAULT = 4;

/** How many calls that never end this process can bear: half of its threads, so that everything else goes on with the others. */
export function hangsToBear(env: NodeJS.ProcessEnv = process.env): number {
  return Math.max(1, Math.floor((Number(env.UV_THREADPOOL_SIZE) || BY_DEFAULT) / 2));
}
