import { expect, test } from 'vitest';
import { aTerminal } from '../line/recorded-terminal.ts';
import { Narrator } from './narrator.ts';

const stop = new AbortController();

function aNarrator(failure?: () => Error | undefined) {
  const terminal = aTerminal();
  const options = {
    terminal,
    isStyled: false,
    signal: stop.signal,
    pauseMs: 0,
    console: 'http://c/',
    program: 'bin/holdfast',
  };
  return { terminal, narrator: new Narrator({ ...options, ...(failure && { failure }) }) };
}

test('a claim is told when it is true, and ends the story when it is not', () => {
  const { narrator, terminal } = aNarrator();
  narrator.check('all is well', true);
  expect(() => narrator.check('nothing was lost', false)).toThrow(
    'the story goes wrong: it is not true that nothing was lost',
  );
  expect(terminal.written.out).toContain('all is well');
  expect(terminal.written.out).not.toContain('nothing was lost');
});

test('what is waited for in vain ends the story at once with the reason', async () => {
  const { narrator } = aNarrator(() => new Error('topology has ended'));
  await expect(narrator.until('the volume has a zone', () => false)).rejects.toThrow('topology has ended');
});

test('lines to try name their cluster, so that they can be pasted anywhere', () => {
  const { narrator, terminal } = aNarrator();
  narrator.kubectl('get pv', { kubeconfig: '/tmp/a.yaml' });
  narrator.holdfast('status', { kubeconfig: '/tmp/a.yaml' });
  expect(terminal.written.out.split('\n').map((line) => line.trim())).toEqual([
    'kubectl --kubeconfig /tmp/a.yaml get pv',
    'bin/holdfast status --kubeconfig /tmp/a.yaml',
    '',
  ]);
});

test('nobody is waited for who cannot press a key', async () => {
  const { narrator, terminal } = aNarrator();
  await narrator.lastLook('the end');
  expect(terminal.written.out).toBe('');
});
