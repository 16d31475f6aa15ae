/** A shell in which blocks of the documentation are run as a person would: with the programs, the files and the cluster that they take for there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { controlPlaneBinaries } from '../../harness/binaries.ts';
import { BUILT } from '../../harness/built.ts';
import { helmProgram } from '../chart/helm.ts';

const root = resolve(import.meta.dirname, '../../..');

/** What stands on the pages in the place of a name, and what is meant here. */
export type Meant = readonly (readonly [written: RegExp, meant: string])[];

export interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Those that run until they are told to stop. */
const STAYS = [
  /^holdfast (console|sandbox)\b/,
  /^holdfast demo(?!.*--once)/,
  /^(bin\/)?holdfast topology(?!.*--once)/,
  /^kubectl .* -w\b/,
];

/** Runs what stays until it has said something, and then has it end. kubectl never ends well by that: of it what it said counts. */
const STAY = `
stay() {
  : >said
  "$@" >>said 2>&1 &
  local pid=$! code=0
  while [ ! -s said ] && kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  kill "$pid" 2>/dev/null || true
  wait "$pid" || code=$?
  cat said
  [ "$code" = 0 ] || { [ "$1" = kubectl ] && ! grep -qi error said; }
}
`;

export class Session implements AsyncDisposable {
  readonly directory: string;
  readonly #meant: Meant;
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(directory: string, kubeconfig: string | undefined, meant: Meant) {
    this.directory = directory;
    this.#meant = meant;
    this.#environment = {
      PATH: `${join(directory, 'programs')}:${process.env.PATH}`,
      HOME: directory,
      ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }),
    };
  }

  /** In a directory that has the checkout's files, and in which things can be written. */
  static async open(kubeconfig: string | undefined, meant: Meant): Promise<Session> {
    const directory = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
    const programs = join(directory, 'programs');
    for (const made of [programs, join(directory, '.local/bin'), join(directory, '.config/fish/completions')])
      await mkdir(made, { recursive: true });
    for (const name of ['charts', 'deploy', 'docs']) await symlink(join(root, name), join(directory, name));
    await symlink(programs, join(directory, 'bin'));
    const program = `#!/bin/sh\nHOLDFAST_INVOKED_AS=\${0##*/} exec '${process.execPath}' '${BUILT}' "$@"\n`;
    await writeFile(join(programs, 'holdfast'), program);
    await chmod(join(programs, 'holdfast'), 0o755);
    await symlink(join(controlPlaneBinaries(), 'kubectl'), join(programs, 'kubectl'));
    await symlink(helmProgram(), join(programs, 'helm'));
    return new Session(directory, kubeconfig, meant);
  }

  /** All in one shell, as a block may set a variable and use it; the first that fails ends it. */
  async run(commands: readonly string[]): Promise<Ended> {
    const lines = commands.map((command) => this.#inPlace(command));
    const script = [STAY, 'export PATH="$HOME/.local/bin:$PATH"', 'set -xeuo pipefail', ...lines].join('\n');
    const shell = spawn('bash', ['-c', script], {
      cwd: this.directory,
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, errors, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'exit')]);
    return { code, said: `${errors}${out}` };
  }

  #inPlace(command: string): string {
    const meant = this.#meant.reduce((line, [written, here]) => line.replaceAll(written, here), command);
    return STAYS.some((stays) => stays.test(command)) ? `stay ${meant}` : meant;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}
