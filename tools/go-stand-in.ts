/** The build of a tool with a stand-in for Go: what it does around the compile, which itself takes minutes. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** All that there is besides Go: the rest of the machine must not matter. */
const PROGRAMS = ['bash', 'awk', 'cat', 'cut', 'dirname', 'flock', 'head', 'ln', 'mkdir', 'mv', 'readlink'];
const FOR_SUMS_AND_GO = ['sha256sum', 'sort', 'chmod', 'touch'];

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export class StandIn implements AsyncDisposable {
  readonly root: string;
  readonly cache: string;
  /** Copies of the files here, to be changed. */
  readonly tools: string;
  readonly #tool: string;

  private constructor(root: string, tool: string) {
    this.root = root;
    this.cache = join(root, 'cache');
    this.tools = join(root, 'tools');
    this.#tool = tool;
  }

  static async of(tool: string): Promise<StandIn> {
    const build = new StandIn(await mkdtemp(join(tmpdir(), `holdfast ${tool} `)), tool);
    await cp(join(import.meta.dirname, tool), join(build.tools, tool), { recursive: true });
    await copyFile(join(import.meta.dirname, 'go-build.sh'), join(build.tools, 'go-build.sh'));
    await mkdir(join(build.root, 'programs'));
    for (const name of [...PROGRAMS, ...FOR_SUMS_AND_GO]) await symlink(`/usr/bin/${name}`, build.program(name));
    await build.go();
    return build;
  }

  /** A Go that writes down what it was told to build, and builds at once, unless told otherwise. */
  async go({ version = 'go1.99.0', compile = 'echo built > "$out"; chmod +x "$out"' } = {}): Promise<void> {
    const outfile = 'while [ "$1" != -o ]; do shift; done; out=$2';
    const build = `touch "${this.root}/compiling"; echo "$*" >> "${this.root}/log"; ${outfile}; ${compile}`;
    const body = `case $1 in env) echo ${version} ;; build) ${build} ;; esac`;
    await writeFile(this.program('go'), `#!/bin/bash\n${body}\n`, { mode: 0o755 });
  }

  program(name: string): string {
    return join(this.root, 'programs', name);
  }

  run(env: NodeJS.ProcessEnv = {}): Promise<Ran> {
    return new Promise((done) => {
      execFile(this.#script, { cwd: this.root, env: this.#environment(env) }, (error, out, err) => {
        done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, out, err });
      });
    });
  }

  spawn(): ChildProcess {
    return spawn(this.#script, { env: this.#environment() });
  }

  /** Its last line, after a run that must succeed. */
  async result(): Promise<string> {
    const { code, out, err } = await this.run();
    if (code !== 0) throw new Error(`exit code ${code}: ${err}`);
    return out.trim();
  }

  /** What Go was told, each time that it was to build. */
  async builds(): Promise<readonly string[]> {
    return (await readFile(join(this.root, 'log'), 'utf8')).trim().split('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true });
  }

  get #script(): string {
    return join(this.tools, this.#tool, 'build.sh');
  }

  #environment(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    return { PATH: join(this.root, 'programs'), HOME: '/nonexistent', XDG_CACHE_HOME: this.cache, ...env };
  }
}
