import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { ApiError } from '../kube/api-error.ts';
import { ConnectionError } from '../kube/transport.ts';
import type { LogLevel } from './log.ts';
import { openLog } from './open-log.ts';

class Paper {
  readonly isTTY: boolean;
  text = '';

  constructor(isTTY = false) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }

  get lines(): Record<string, unknown>[] {
    return this.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  }
}

function logTo(output: Paper, level: LogLevel = 'info', env = {}) {
  return openLog({ clock: new VirtualClock(), level, output, env });
}

describe('a log in a cluster', () => {
  it('writes one JSON object per line, with the time of the given clock in ISO form and the level by name', () => {
    const paper = new Paper();
    logTo(paper).info({ volume: 'pv-1' }, 'labelled');
    expect(paper.lines).toEqual([{ level: 'info', time: '2026-01-01T00:00:00.000Z', volume: 'pv-1', msg: 'labelled' }]);
  });

  it('leaves out what is below its level', () => {
    const paper = new Paper();
    const log = logTo(paper, 'warn');
    log.info('not told');
    log.warn('told');
    expect(paper.lines.map((line) => line.msg)).toEqual(['told']);
  });

  it('says nothing at all when it is silent', () => {
    const paper = new Paper();
    logTo(paper, 'silent').error('not told');
    expect(paper.text).toBe('');
  });

  it('gives every line of a child the fields that the child was made with', () => {
    const paper = new Paper();
    logTo(paper).child({ controller: 'topology' }).child({ key: 'pv-1' }).info('done');
    expect(paper.lines[0]).toMatchObject({ controller: 'topology', key: 'pv-1', msg: 'done' });
  });

  it('tells an error with its type, its reason and its causes all the way down', () => {
    const paper = new Paper();
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const broken = new ConnectionError('GET /api: no connection', { mayHaveHappened: false, cause: refused });
    logTo(paper).error({ err: new Error('the cache cannot be filled', { cause: broken }) }, 'failed');
    expect(paper.lines[0]?.err).toMatchObject({
      type: 'Error',
      message: 'the cache cannot be filled',
      stack: expect.stringContaining('open-log.test.ts'),
      cause: { type: 'ConnectionError', cause: { message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' } },
    });
  });

  it('tells status and reason of an API error, and each error of several', () => {
    const paper = new Paper();
    const gone = new ApiError({ request: 'GET /x', status: 404, reason: 'NotFound', detail: 'no such thing' });
    logTo(paper).warn({ err: new AggregateError([gone, new Error('other')], 'both failed') }, 'failed');
    expect(paper.lines[0]?.err).toMatchObject({
      errors: [{ type: 'ApiError', status: 404, reason: 'NotFound' }, { message: 'other' }],
    });
  });

  it('survives an error that is its own cause, and a thrown thing that is no error', () => {
    const paper = new Paper();
    const error = new Error('a snake');
    error.cause = error;
    const log = logTo(paper);
    log.error({ err: error }, 'failed');
    log.error({ err: 'a bare string' }, 'failed');
    expect(paper.lines[0]?.err).toMatchObject({ cause: { cause: { message: 'a snake' } } });
    expect(paper.lines[1]?.err).toEqual({ type: 'string', message: 'a bare string' });
  });

  it('does not tell what else an error carries', () => {
    const paper = new Paper();
    const error = Object.assign(new Error('401'), { request: { headers: { authorization: 'Bearer abcdefghijkl' } } });
    logTo(paper).error({ err: error }, 'failed');
    expect(paper.lines[0]?.err).not.toHaveProperty('request');
  });

  it('masks credentials wherever they are', () => {
    const paper = new Paper();
    logTo(paper)
      .child({ token: 'tok-child' })
      .warn({ request: { headers: { Authorization: 'Bearer abcdefghijkl' } } }, 'sent Bearer abcdefghijkl');
    expect(paper.text).not.toMatch(/abcdefghijkl|tok-child/);
    expect(paper.lines[0]).toMatchObject({ token: '[masked]', msg: 'sent Bearer [masked]' });
  });
});

describe('a log on a terminal', () => {
  it('is read by people: time, level, sentence, fields', () => {
    const paper = new Paper(true);
    logTo(paper, 'info', { NO_COLOR: '1' }).info({ key: 'ns/a', took: 3, why: 'two words' }, 'reconciled');
    expect(paper.text).toBe('00:00:00.000Z INFO  reconciled key=ns/a took=3 why="two words"\n');
  });

  it('has colours, unless the person asked for none', () => {
    const [colourful, plain] = [new Paper(true), new Paper(true)];
    logTo(colourful).warn('look');
    logTo(plain, 'info', { NO_COLOR: '1' }).warn('look');
    expect(colourful.text).toContain('\u001b[33mWARN \u001b[39m look');
    expect(plain.text).not.toContain('\u001b');
  });

  it('shows an error below its line, with its causes', () => {
    const paper = new Paper(true);
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    logTo(paper, 'info', { NO_COLOR: '1' }).error({ err: new Error('no list', { cause }) }, 'failed');
    expect(paper.text).toMatch(/ERROR failed\n {4}Error: no list\n {6}at .*open-log\.test\.ts/);
    expect(paper.text).toMatch(/\n {4}caused by Error \(ECONNREFUSED\): refused\n/);
  });

  it('spells out control characters, so that text from outside cannot steer the terminal', () => {
    const paper = new Paper(true);
    const err = Object.assign(new Error('x\u001b[1m'), { name: 'Odd\u001b[1m', stack: '\n    at \u001b[1m' });
    logTo(paper, 'info', { NO_COLOR: '1' }).info({ name: 'a\u001b[2Jb\u009bc', err }, 'seen \u202e\u001b]0;x\u0007');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
    expect(paper.text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(paper.text).toContain('\\u001b]0;x\\u0007');
  });
});

it('goes to standard error, and the last line before a crash is there', () => {
  const script = `
    import { openLog } from './open-log.ts';
    import { systemClock } from '../clock/clock.ts';
    openLog({ clock: systemClock, level: 'info' }).error('the last words');
    process.kill(process.pid, 'SIGKILL');`;
  const child = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
    cwd: join(import.meta.dirname),
    encoding: 'utf8',
  });
  expect(child.signal).toBe('SIGKILL');
  expect(child.stdout).toBe('');
  expect(JSON.parse(child.stderr)).toMatchObject({ level: 'error', msg: 'the last words' });
});
