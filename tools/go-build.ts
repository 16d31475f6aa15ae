/** Where a tool is that go-build.sh has built. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface GoTool {
  /** Of its directory here, of its make target, and of its directory in the cache. */
  readonly name: string;
  /** The module whose version it has. */
  readonly module: string;
  /** What its recipe has besides the files that each one has. */
  readonly sources?: readonly string[];
}

/** The directory in the cache. Never builds: that takes minutes and belongs to make, not to a test's time limit. */
export function builtByGo(tool: GoTool, environment = process.env, tools = import.meta.dirname): string {
  const cache = environment.XDG_CACHE_HOME || join(homedir(), '.cache');
  const recipe = join(tools, tool.name);
  const directory = join(cache, 'holdfast', tool.name, version(tool, recipe));
  if (digestIn(directory) !== digestOf(recipe, tool.sources))
    throw new Error(`no ${tool.name} of the present recipe in ${directory}: run \`make ${tool.name}\` first`);
  return directory;
}

function version({ module }: GoTool, recipe: string): string {
  const words = readFileSync(join(recipe, 'go.mod'), 'utf8').split('\n').map(requirement);
  const found = words.find(([name]) => name === module)?.[1];
  if (!found) throw new Error(`${recipe}/go.mod requires no ${module}`);
  return found;
}

const requirement = (line: string): readonly string[] =>
  line
    .replace(/^require /, '')
    .trim()
    .split(/\s+/);

/** The same digest that go-build.sh leaves in the directory when its build is complete. */
function digestOf(recipe: string, sources: readonly string[] = []): string {
  const digest = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', ...sources, 'build.sh', '../go-build.sh'])
    digest.update(readFileSync(join(recipe, file)));
  return digest.digest('hex').slice(0, 8);
}

function digestIn(directory: string): string | undefined {
  const file = join(directory, 'recipe');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}
