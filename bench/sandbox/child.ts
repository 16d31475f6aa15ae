/** Runs a module of contenders/ in a process of its own, and gives back the figures that it prints as JSON. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export async function figuresOf<T>(module: string, ...args: readonly string[]): Promise<T> {
  const path = new URL(`./contenders/${module}.ts`, import.meta.url).pathname;
  const child = spawn(process.execPath, ['--expose-gc', path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${module} ended with ${code}`);
  return JSON.parse(said) as T;
}
