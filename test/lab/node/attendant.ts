/**
 * Runs in a guest, and does at its serial line what the test outside asks for: runs programs, and carries connections between the
 * loopback of the guest and that of the machine. When it is told to, or the line is cut, it shuts the guest down.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReadStream, WriteStream } from 'node:tty';
import { type Conversation, Conversations, connect, type Line, listen, THE_GUEST } from './conversations.ts';
import type { Request } from './frames.ts';

const LINE = '/dev/ttyS0';

/** Bytes as they are. Node.js's own raw mode would put a carriage return before each newline. */
function openLine(): Line {
  execFileSync('stty', ['-F', LINE, 'raw', '-echo']);
  return { readable: new ReadStream(openSync(LINE, 'r+')), writable: new WriteStream(openSync(LINE, 'r+')) };
}

const children = new Set<ChildProcess>();

function answer(conversation: Conversation, request: Request): void {
  if ('run' in request) run(conversation, request);
  else if ('connect' in request) connect(conversation, request.connect);
  else void listenFor(conversation, request.listen);
}

function run(conversation: Conversation, { run: [program = '', ...args], env }: Extract<Request, { run: unknown }>) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: 'pipe' });
  children.add(child);
  child.stdout.on('data', (bytes: Buffer) => conversation.send('data', bytes));
  child.stderr.on('data', (bytes: Buffer) => conversation.send('error', bytes));
  child.stdin.on('error', () => undefined); // a program may end without having read all of its input
  child.on('error', ({ message }) => conversation.close({ failure: message }));
  child.on('exit', () => children.delete(child));
  child.on('close', (code, signal) => conversation.close({ status: signal ?? code ?? 0 }));
  conversation.on((kind, body) => {
    if (kind === 'data') child.stdin.write(body);
    else if (kind === 'end') child.stdin.end();
    else if (kind === 'signal') child.kill(body.toString() as NodeJS.Signals);
  });
}

async function listenFor(conversation: Conversation, port: number): Promise<void> {
  try {
    const listening = await listen(conversations, port);
    conversation.on((kind) => kind === 'close' && listening.close());
    conversation.send('data');
  } catch (error) {
    conversation.close({ failure: `${error}` });
  }
}

/** As a machine shuts down: all programs are asked to end, and killed when they do not; the rest is done by process 1. */
async function shutDown(): Promise<void> {
  if (existsSync('/run/systemd/system')) return void execFileSync('systemctl', ['poweroff']);
  const ended = [...children].map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGTERM');
  await Promise.race([Promise.all(ended), sleep(PATIENCE_MS)]);
  for (const child of children) child.kill('SIGKILL');
  process.exit();
}

const PATIENCE_MS = 10_000;

const conversations = new Conversations(openLine(), 0, answer);
conversations.listen(THE_GUEST, (kind) => kind === 'close' && void shutDown());
conversations.send(THE_GUEST, 'hello', '');
