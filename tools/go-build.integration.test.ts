/** What all tools have in common that Go builds. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { builtByGo, type GoTool } from './go-build.ts';
import { StandIn } from './go-stand-in.ts';

interface Tool extends GoTool {
  readonly program: string;
  /** Whether it is the program that is printed, and not its directory. */
  readonly printsProgram?: boolean;
}

const TOOLS: readonly Tool[] = [
  { name: 'control-plane', module: 'k8s.io/kubernetes', program: 'control-plane', sources: ['main.go'] },
  { name: 'helm', module: 'helm.sh/helm/v3', program: 'helm', printsProgram: true },
  { name: 's3-server', module: 'github.com/versity/versitygw', program: 'versitygw' },
];

describe.each(TOOLS)('$name', (tool) => {
  let build: StandIn;
  beforeEach(async () => {
    build = await StandIn.of(tool.name);
  });
  afterEach(() => build[Symbol.asyncDispose]());

  const directory = async (): Promise<string> => {
    const result = await build.result();
    return tool.printsProgram ? dirname(result) : result;
  };
  const found = () => builtByGo(tool, { XDG_CACHE_HOME: build.cache }, build.tools);

  test('is built once, and what is printed is where', async () => {
    const result = await build.result();
    expect(result).toMatch(new RegExp(`^${build.cache}/holdfast/${tool.name}/v\\d+\\.\\d+\\.\\d+`));
    expect(await readFile(join(await directory(), tool.program), 'utf8')).toBe('built\n');
    expect(result.endsWith(`/${tool.program}`)).toBe(tool.printsProgram === true);
    expect(await build.run()).toEqual({ code: 0, out: `${result}\n`, err: '' });
    expect(await build.builds()).toHaveLength(1);
  });

  test('is found by the tests where it was built', async () => {
    expect(found).toThrow(`run \`make ${tool.name}\` first`);
    const built = await directory();
    expect(found()).toBe(built);
  });

  test.each(['go.mod', 'go.sum', 'build.sh', '../go-build.sh', ...(tool.sources ?? [])])(
    'is built again when %s changed, and not taken for built until then',
    async (file) => {
      await build.result();
      await appendFile(join(build.tools, tool.name, file), file.endsWith('.sh') ? '# changed\n' : '// changed\n');
      expect(found).toThrow('of the present recipe');
      expect(await directory()).toBe(found());
      expect(await build.builds()).toHaveLength(2);
    },
  );

  test('is built again when it is gone', async () => {
    await rm(join(await directory(), tool.program));
    await build.result();
    expect(await build.builds()).toHaveLength(2);
  });

  test('writes nothing when there is nothing to do: the cache may be another user’s', async () => {
    const built = await directory();
    await rm(join(built, '.lock'));
    await build.result();
    expect(await readdir(built)).not.toContain('.lock');
  });

  test('after a build that failed or was killed there is nothing to be taken for built', async () => {
    await build.go({ compile: 'echo half > "$out"; echo "no space left on device" >&2; exit 1' });
    expect(await build.run()).toMatchObject({ code: 1, out: '', err: expect.stringContaining('no space left') });
    await build.go({ compile: 'echo half > "$out"; chmod +x "$out"; kill -KILL $PPID' });
    expect(await build.run()).toMatchObject({ out: '' });
    expect(found).toThrow('of the present recipe');
    await build.go();
    expect(await readFile(join(await directory(), tool.program), 'utf8')).toBe('built\n');
  });

  test('waits for a build that is under way, says so, and takes what that made', async () => {
    await build.go({ compile: `read -r < "${build.root}/gate"; echo built > "$out"; chmod +x "$out"` });
    await new Promise((done) => execFile('/usr/bin/mkfifo', [join(build.root, 'gate')], done));
    const first = build.run();
    await vi.waitFor(() => readFile(join(build.root, 'compiling')), { timeout: 15_000 });
    const second = build.spawn();
    const [said] = second.stderr ? await once(second.stderr, 'data') : [];
    expect(`${said}`).toBe(`${tool.name}: another build is under way, waiting for it\n`);
    await writeFile(join(build.root, 'gate'), '\n');
    expect(await first).toMatchObject({ code: 0 });
    expect(await once(second, 'exit')).toEqual([0, null]);
    expect(await build.builds()).toHaveLength(1);
  });

  test('tells how far the compile is, and all that the compiler complains of', async () => {
    const packages = 'for n in {1..500}; do echo "example.com/package/v$n" >&2; done';
    await build.go({ compile: `${packages}; echo "./main.go:3:1: syntax error" >&2; exit 1` });
    const { err } = await build.run();
    expect(err).toContain(`${tool.name}: 500 packages compiled\n`);
    expect(err).toContain('./main.go:3:1: syntax error\n');
    expect(err).not.toContain('example.com');
  });

  test('without HOME the home directory of the user is taken', async () => {
    await rm(build.program('mkdir')); // nothing must be written there
    await writeFile(build.program('mkdir'), '#!/bin/bash\necho "$2"; exit 1\n', { mode: 0o755 });
    const { out } = await build.run({ HOME: undefined, XDG_CACHE_HOME: undefined });
    expect(out).toMatch(new RegExp(`^${userInfo().homedir}/.cache/holdfast/${tool.name}/v\\d`));
  });

  test.each([
    ['is not there', undefined, /needs Go 1\.\d+\.\d+ or newer, and there is no go command here/],
    ['cannot even read go.mod', 'go1.19.8', /needs Go 1\.\d+\.\d+ or newer, and this is go1\.19\.8/],
  ])('a Go that %s is told in a sentence', async (_, version, sentence) => {
    if (version) await build.go({ version });
    else await rm(build.program('go'));
    expect(await build.run()).toMatchObject({ code: 1, err: expect.stringMatching(sentence) });
  });
});
