import { Command } from 'commander';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { aTerminal } from './line/recorded-terminal.ts';
import { define } from './version.ts';

async function printed(...args: string[]): Promise<string> {
  const terminal = aTerminal();
  const command = new Command('version');
  define(command, terminal);
  await command.parseAsync(args, { from: 'user' });
  return terminal.written.out;
}

const facts = {
  version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  node: process.version,
  platform: `${process.platform}/${process.arch}`,
};

test('the answer is the same facts as JSON and as YAML', async () => {
  expect(JSON.parse(await printed('--output=json'))).toEqual(facts);
  expect(parse(await printed('--output=yaml'))).toEqual(facts);
});

test('people get two lines', async () => {
  expect(await printed()).toMatch(/^holdfast \d+\.\d+\.\d+\nnode v\S+ on \S+\n$/);
});
