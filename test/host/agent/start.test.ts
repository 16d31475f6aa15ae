/** How an agent starts and ends, and what it says when it cannot. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../harness/wait.ts';
import { AgentProcess, runAgentProcess } from './agent-process.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agent-'));
});
afterEach(() => rm(directory, { recursive: true }));

const path = () => join(directory, 'data');

describe('one that cannot start says why, in a line', () => {
  const says = async (args: readonly string[], words: RegExp, env: NodeJS.ProcessEnv = {}) => {
    const { code, stderr } = await runAgentProcess(args, env);
    expect(code).toBeGreaterThan(0);
    const [last = ''] = stderr.trim().split('\n').slice(-1);
    expect(last).toMatch(words);
    expect(stderr).not.toMatch(/\n {4}at /);
  };

  test('without a directory', () => says([], /--path is required: .* PV_PATH/));
  test('on a file', async () => {
    await writeFile(path(), '');
    await says(['--path', path()], /data is no directory: give the agent one of its own/);
  });
  test('where nothing can be made', () => says(['--path', '/proc/data'], /cannot make the directory "\/proc\/data"/));
  test('where nothing can be written', () =>
    says(['--path', '/sys/kernel'], /cannot keep others away by a socket in "\/sys\/kernel"/));
  test('below what is not there', () =>
    says(['--path', join(directory, 'a/b')], /cannot make the directory ".*a\/b": .*mounted/));
  test('on a port that is taken', async () => {
    await using agent = await AgentProcess.start(path());
    const other = ['--path', join(directory, 'other'), '--listen', `127.0.0.1:${agent.port}`];
    await says(other, /cannot listen on 127\.0\.0\.1:\d+ \(--listen\): something else listens there already/);
  });
  test('on a directory that another one uses', async () => {
    await using _ = await AgentProcess.start(path());
    await says(['--path', path(), '--listen', '127.0.0.1:0'], /another storage agent uses/);
  });
  test('without the token that it was to ask for', () =>
    says(['--path', path(), '--token-file', join(directory, 'none')], /the token file .* cannot be read/));
  test('with a state that it does not understand', async () => {
    const agent = await AgentProcess.start(path());
    await agent.ask('PUT', '/manage-agent/recommission', '{"generation": 1}');
    await agent.stop();
    await writeFile(join(path(), 'state.json'), '{"version": 1, "sta');
    await says(['--path', path(), '--listen', '127.0.0.1:0'], /state\.json cannot be understood/);
  });
  test('with a PORT that is none', () => says(['--path', path()], /PORT cannot be "http"/, { PORT: 'http' }));
});

test('the directory of one that was killed is free at once', async () => {
  for (let round = 0; round < 3; round++) await (await AgentProcess.start(path())).kill();
  await using agent = await AgentProcess.start(path());
  expect((await agent.ask('GET', '/healthz')).status).toBe(200);
});

test('one that is told to end ends well, after what is under way', async () => {
  const agent = await AgentProcess.start(path());
  const body = Buffer.alloc(5_000_000, 1);
  const sending = agent.ask('PUT', '/blobs/k', body);
  await eventually(
    async () => Number((await agent.ask('GET', '/metrics')).bytes.toString().match(/agent_uploads (\d+)/)?.[1]) >= 0,
  );
  expect(await agent.stop()).toBe(0);
  expect((await sending).status).toBe(201);
  await using next = await AgentProcess.start(path());
  expect((await next.ask('GET', '/blobs/k')).bytes.equals(body)).toBe(true);
});

test('the environment of the original does: PV_PATH and PORT', async () => {
  const { code, stderr } = await runAgentProcess(['--token-file', join(directory, 'none')], {
    PV_PATH: path(),
    PORT: '0',
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining('the token file')]);
});
