import { once } from 'node:events';
import { createServer } from 'node:http';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { answerOf } from '../../doctor/answer.ts';
import { type Finding, type Judged, unknown, verdictOn } from '../../doctor/finding.ts';
import { TOGETHER } from '../../doctor/writers.ts';
import { VirtualClock } from '../../kit/clock/virtual.ts';
import { KubeClient } from '../../kit/kube/client.ts';
import { FakeTransport } from '../../kit/kube/fake-transport.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { define as defineController } from '../together/controller.ts';
import { define as defineNode } from '../together/node.ts';
import { define } from './doctor.ts';
import { fixAll } from './fix.ts';
import { answerText } from './text.ts';

const found: Finding = {
  severity: 'warning',
  subject: 'report storage/old',
  evidence: 'its node is gone',
  remedy: 'Delete it',
  fix: {
    does: 'delete',
    resource: { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true },
    ref: { namespace: 'storage', name: 'old' },
    uid: 'u1',
    resourceVersion: '7',
  },
};
const checks: readonly Judged[] = [
  { check: 'reports', verdict: verdictOn([found], '') },
  { check: 'rbac', verdict: unknown('it may not be asked') },
  { check: 'crds', verdict: verdictOn([], 'two are there') },
];

test('what is wrong comes first, then what is not known, and what is well only when it is asked for', () => {
  const text = [
    '3 checks: 0 error, 1 unknown, 1 warning, 0 info, 1 ok',
    '',
    'WARNING reports: report storage/old',
    '  its node is gone',
    '  do: Delete it (or: holdfast doctor --fix)',
    '',
    'UNKNOWN rbac',
    '  it may not be asked',
    '',
  ].join('\n');
  expect(answerText(answerOf(checks), false)).toBe(text);
  expect(answerText(answerOf(checks), true)).toBe(`${text}\nOK crds\n  two are there\n`);
});

test('nothing in a cluster can steer the terminal, or add a line', () => {
  const evil = 'a\u001b[2J\u202eb\nOK everything';
  const verdict = verdictOn([{ ...found, subject: evil, evidence: evil, remedy: evil }], '');
  const text = answerText(answerOf([{ check: 'reports', verdict }]), false);
  for (const steering of ['\u001b', '\u202e']) expect(text).not.toContain(steering);
  expect(text.split('\n').filter((line) => line.startsWith('OK'))).toEqual([]);
});

function aVisitor(transport: FakeTransport) {
  const client = new KubeClient({ transport, clock: new VirtualClock(), random: () => 0.5 });
  return { client, signal: new AbortController().signal };
}

test('a fix is asked for, and carries what was looked at as its condition', async () => {
  const transport = new FakeTransport().on('DELETE', /old$/, { status: 200, body: {} });
  const terminal = aTerminal({}, 'fix\n');
  expect(await fixAll(checks, aVisitor(transport), terminal, false)).toBe(true);
  expect(terminal.written.err).toContain('delete configmaps storage/old: done');
  expect(transport.bodies('DELETE')).toMatchObject([{ preconditions: { uid: 'u1', resourceVersion: '7' } }]);
});

test('without the word, nothing is changed', async () => {
  const transport = new FakeTransport();
  await expect(fixAll(checks, aVisitor(transport), aTerminal({}, 'yes\n'), false)).rejects.toThrow(
    'nothing was changed',
  );
  expect(transport.journal).toEqual([]);
});

test('a fix that fails is told, and does not keep the others from being made', async () => {
  const conflict = { status: 409, body: { kind: 'Status', reason: 'Conflict', message: 'it has changed' } };
  const transport = new FakeTransport().on('DELETE', /old$/, conflict);
  const terminal = aTerminal();
  expect(await fixAll([...checks, ...checks], aVisitor(transport), terminal, true)).toBe(true);
  expect(terminal.written.err.match(/it has changed/g)).toHaveLength(2);
});

test('where there is nothing to be put right, nobody is asked', async () => {
  const terminal = aTerminal();
  expect(await fixAll(checks.slice(1), aVisitor(new FakeTransport()), terminal, false)).toBe(false);
  expect(terminal.written.err).toContain('without a person');
});

/** An API server with nothing in it but the report of a node that is gone. */
async function aServerWithALeftover() {
  const report = {
    metadata: { name: 'holdfast-lvm-gone', namespace: 'storage', labels: { 'holdfast.dev/report': 'lvm' } },
  };
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('Content-Type', 'application/json');
    if (url.includes('customresourcedefinitions/')) response.statusCode = 404;
    const items = url.includes('configmaps') ? [report] : [];
    response.end(JSON.stringify({ kind: 'List', gitVersion: 'v1.34.1', metadata: {}, items }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => server.close() };
}

test('who says no is not told that nothing is known, also with --node', async () => {
  using server = await aServerWithALeftover();
  const terminal = aTerminal({}, 'no\n');
  const command = new Command('doctor').exitOverride();
  define(command, terminal);
  const flags = ['--node', '--mount-namespace=own', '--fix', `--master=${server.url}`];
  await expect(command.parseAsync(flags, { from: 'user' })).rejects.toThrow('nothing was changed: fix was not typed');
  expect(terminal.written.out).toBe('');
});

test.each([
  ['controller', defineController],
  ['node', defineNode],
] as const)('the doctor knows which jobs holdfast %s does where it is not told', (name, defineCommand) => {
  const command = new Command(name);
  defineCommand(command, aTerminal());
  const enable = command.options.find(({ long }) => long === '--enable');
  expect(`${enable?.description} ${enable?.defaultValueDescription}`).toContain(TOGETHER.get(name)?.join(','));
});
