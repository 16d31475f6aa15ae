import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hangsToBear, widenThreadPool } from './thread-pool.ts';

describe('the thread pool', () => {
  it('has four threads for each wipe and some more, unless a person has said how many', () => {
    const sizeFor = (wipes: number, env: NodeJS.ProcessEnv = {}) => {
      widenThreadPool(wipes, env);
      return env.UV_THREADPOOL_SIZE;
    };
    expect(sizeFor(1)).toBe('8');
    expect(sizeFor(8)).toBe('36');
    expect(sizeFor(1000)).toBe('1024');
    expect(sizeFor(8, { UV_THREADPOOL_SIZE: '6' })).toBe('6');
    expect(sizeFor(8, { UV_THREADPOOL_SIZE: '' })).toBe('36');
  });

  it('can bear that half of its threads never come back, and at least one', () => {
    expect(hangsToBear({})).toBe(2);
    expect(hangsToBear({ UV_THREADPOOL_SIZE: '36' })).toBe(18);
    expect(hangsToBear({ UV_THREADPOOL_SIZE: '1' })).toBe(1);
  });

  it('is as wide as that in a process that asks for it when its modules are loaded', async () => {
    expect(await threadsAfter('widenThreadPool(8);')).toBe(36);
    expect(await threadsAfter('')).toBe(4);
  });
});

/** How many threads the pool of a fresh process has once it has been used. The modules come in as a command's do, by `import()`. */
async function threadsAfter(first: string): Promise<number> {
  const program = `
    const { widenThreadPool } = await import(${JSON.stringify(import.meta.resolve('./thread-pool.ts'))});
    ${first}
    const { readdirSync, readFileSync } = await import('node:fs');
    await (await import('node:fs/promises')).stat('/');
    const names = readdirSync('/proc/self/task').map((id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8'));
    console.log(names.filter((name) => name.startsWith('libuv-worker')).length);`;
  const { UV_THREADPOOL_SIZE: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env });
  return Number(stdout);
}
