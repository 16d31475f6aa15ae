/**
 * Every fsync waits in a thread of libuv's pool, and with four of them, which is what it has by default, four blobs at a time get to the
 * disk while all else that is done with files waits behind them. A filesystem puts many at once on the disk as fast as one.
 */
const THREADS = 16;

/**
 * Makes the pool wide enough. It is made when it is first used, with what the environment says by then: to be called before anything else
 * is done. What a person has set stays.
 */
export function widenThreadPool(env: NodeJS.ProcessEnv = process.env): void {
  env.UV_THREADPOOL_SIZE ||= String(THREADS);
}
