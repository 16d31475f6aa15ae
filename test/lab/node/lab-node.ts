/**
 * A whole machine for a test that runs outside: a guest with disks of its own, in which programs run, and which reaches servers on the
 * loopback of the machine that the test runs on. What is on its disks, and in its root filesystem, is there after a reboot.
 */
import { kubeconfig } from '../../harness/kubeconfig.ts';
import { aDisk, type Disk, Guest } from '../power/guest.ts';
import { Conversations, connect, type Listening, listen, THE_GUEST } from './conversations.ts';
import type { Ending } from './frames.ts';
import { PacedLine } from './paced-line.ts';
import { Program, type Status } from './program.ts';

const ATTENDANT = ['node', 'test/lab/node/attendant.ts'];
const ROOT_BYTES = 2 ** 30;
/** All tests of a file together, on a machine that has other things to do. */
const LIFE_SECONDS = 6_000;
/** A guest is slow, and slower beside others. */
const PATIENCE_MS = 300_000;

export interface LabNodeOptions {
  /** They are /dev/ubda, /dev/ubdb, …, all zeroes, and gone with the node. */
  readonly diskBytes?: readonly number[];
  /** Process 1 is systemd. The boot takes longer. */
  readonly systemd?: boolean;
}

export interface RunOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds until it is killed, and that is an error. */
  readonly timeout?: number;
}

export interface Ran {
  readonly status: Status;
  readonly stdout: string;
  readonly stderr: string;
  /** What `stdout` is the text of. */
  readonly bytes: Buffer;
}

export class LabNode implements AsyncDisposable {
  readonly disks: readonly Disk[];
  readonly #root: Disk;
  readonly #systemd: boolean;
  readonly #undo: AsyncDisposableStack;
  /** Ports of the machine's loopback that are the guest's, too. */
  readonly #ports = new Set<number>();
  #on: { readonly guest: Guest; readonly conversations: Conversations; readonly doors: Listening[] } | undefined;

  private constructor(disks: readonly Disk[], root: Disk, systemd: boolean, undo: AsyncDisposableStack) {
    this.disks = disks;
    this.#root = root;
    this.#systemd = systemd;
    this.#undo = undo;
  }

  /** Resolves when it is up. */
  static async start({ diskBytes = [], systemd = false }: LabNodeOptions = {}): Promise<LabNode> {
    await using undo = new AsyncDisposableStack();
    const root = undo.use(await aDisk(ROOT_BYTES));
    const disks: Disk[] = [];
    for (const bytes of diskBytes) disks.push(undo.use(await aDisk(bytes)));
    const node = new LabNode(disks, root, systemd, undo.move());
    await node.boot();
    return node;
  }

  /** Turns it on, after its power was cut. */
  async boot(): Promise<void> {
    if (this.#on) throw new Error('the node is on already');
    const options = { timeoutSeconds: LIFE_SECONDS, root: this.#root, systemd: this.#systemd };
    const guest = new Guest(this.disks, ATTENDANT, options);
    const line = new PacedLine(guest.line);
    const conversations = new Conversations({ readable: guest.line, writable: line }, 1, (conversation, request) => {
      if ('connect' in request && this.#ports.has(request.connect)) connect(conversation, request.connect);
      else conversation.close({ failure: 'the guest may not ask for this' });
    });
    this.#on = { guest, conversations, doors: [] };
    await this.#isUp(guest, conversations, line);
    await Promise.all([...this.#ports].map((port) => this.#open(port)));
  }

  /** Every program is asked to end, filesystems are unmounted, and it boots again. */
  async reboot(): Promise<void> {
    const { guest, conversations } = this.#running();
    conversations.send(THE_GUEST, 'close', '{}');
    await guest.ended();
    await this.cutPower();
    await this.boot();
  }

  /** What was written and not synced is lost. */
  async cutPower(): Promise<void> {
    const on = this.#on;
    this.#on = undefined;
    for (const door of on?.doors ?? []) door.close();
    await on?.guest.cutPower();
  }

  /** Runs a program to its end. Any number at once; each costs the guest some time. */
  async run(argv: readonly string[], { input, env, timeout = PATIENCE_MS }: RunOptions = {}): Promise<Ran> {
    const program = this.start(argv, env);
    if (input !== undefined) program.write(input);
    program.endInput();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      program.kill('SIGKILL');
    }, timeout);
    const status = await program.ended().finally(() => clearTimeout(timer));
    const bytes = Buffer.concat(program.output);
    const ran = { status, stdout: bytes.toString(), stderr: Buffer.concat(program.errors).toString(), bytes };
    if (isLate) throw new Error(`${argv.join(' ')} took more than ${timeout} ms: ${ran.stdout}${ran.stderr}`);
    return ran;
  }

  /** Runs a program that must succeed, and gives what it wrote. */
  async output(...argv: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.run(argv);
    if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}: ${stderr}${stdout}`);
    return stdout.trim();
  }

  /** Starts a program, and leaves it running. */
  start(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
    return new Program(this.#running().conversations, argv, env);
  }

  /** Also makes the directories above it. */
  async write(path: string, content: string | Buffer, mode = '0600'): Promise<void> {
    const script = 'umask 077 && mkdir -p "$(dirname "$1")" && cat >"$1" && chmod "$2" "$1"';
    const { status, stderr } = await this.run(['sh', '-c', script, 'sh', path, mode], { input: content });
    if (status !== 0) throw new Error(`cannot write ${path}: ${stderr}`);
  }

  async read(path: string): Promise<Buffer> {
    const { status, stderr, bytes } = await this.run(['cat', '--', path]);
    if (status !== 0) throw new Error(`cannot read ${path}: ${stderr}`);
    return bytes;
  }

  /**
   * From now on this port of the guest's loopback is that of the machine that the test runs on, also after a boot. Since the address is
   * the same in both, so is the name in the certificate of the server.
   */
  async reaches(port: number): Promise<void> {
    if (this.#ports.has(port)) return;
    this.#ports.add(port);
    await this.#open(port);
  }

  /** Where to find this port of the guest's loopback until the guest is turned off. */
  async addressOf(port: number): Promise<string> {
    const { conversations, doors } = this.#running();
    const door = await listen(conversations, 0, port);
    doors.push(door);
    return `127.0.0.1:${door.port}`;
  }

  /** Writes a kubeconfig for who has this token, and gives its path in the guest. */
  async kubeconfig(
    name: string,
    user: { readonly token: string; readonly namespace?: string },
    { url, ca }: { readonly url: string; readonly ca: string },
  ): Promise<string> {
    await this.reaches(Number(new URL(url).port));
    const path = `/etc/kubernetes/${name}.kubeconfig`;
    await this.write(path, kubeconfig({ url, ca, ...user }));
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cutPower();
    await this.#undo.disposeAsync();
  }

  #running() {
    if (!this.#on) throw new Error('the node is off');
    return this.#on;
  }

  async #isUp(guest: Guest, conversations: Conversations, line: PacedLine): Promise<void> {
    const said = Promise.withResolvers<boolean>();
    conversations.listen(THE_GUEST, (kind, body) => {
      if (kind === 'heard') line.heard(Number(body.toString()));
      else said.resolve(kind === 'hello');
    });
    if (!(await said.promise)) throw new Error(`the guest ended with ${await guest.ended()}: ${guest.output}`);
  }

  async #open(port: number): Promise<void> {
    const said = Promise.withResolvers<string | undefined>();
    this.#running().conversations.open({ listen: port }, (kind, body) => {
      const { failure }: Ending = kind === 'close' ? JSON.parse(body.toString()) : {};
      said.resolve(failure);
    });
    const failure = await said.promise;
    if (failure) throw new Error(`the guest does not listen at port ${port}: ${failure}`);
  }
}
