import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { invokedAs } from '../invoked-as.ts';
import { runCommandLine } from '../line/program.ts';
import { aTerminal } from '../line/recorded-terminal.ts';
import { CODES, codesNamed } from './codes.ts';
import { define } from './explain.ts';

const commands = [{ group: 'look', name: 'explain', summary: 'says', load: async () => ({ define }) }] as const;

async function explain(...args: readonly string[]) {
  const terminal = aTerminal();
  const code = await runCommandLine({ commands, examples: {} }, invokedAs('holdfast'), ['explain', ...args], terminal);
  return { code, ...terminal.written };
}

test('a code is explained, in any spelling of it', async () => {
  const { out, code } = await explain('isMounted');
  expect(out).toMatch(
    /^isMounted \(devices\)\nalso spelt {4}DeviceIsMounted\nrefused: a person has to act\nWhat it means: /,
  );
  expect(out).toContain('What to do:    Unmount it, if it is not needed any more.');
  expect(code).toBe(0);
  expect((await explain('DeviceIsMounted')).out).toBe(out);
  expect((await explain('deviceismounted')).out).toBe(out);
});

test('a code that two jobs have is explained for both', async () => {
  const { out } = await explain('keyIsMissing');
  expect(out).toContain('keyIsMissing (lvm)');
  expect(out).toContain('keyIsMissing (sync)');
});

test('without a code all are listed, and with a job all of that', async () => {
  expect((await explain()).out.split('\n').length).toBeGreaterThan(200);
  const jobs = new Set(
    (await explain('pool')).out
      .split('\n')
      .slice(1, -4)
      .map((line) => line.split(' ')[0]),
  );
  expect([...jobs]).toEqual(['pool']);
  expect(JSON.parse((await explain('topology', '-o', 'json')).out)[0]).toMatchObject({
    job: 'topology',
    code: 'alreadyRight',
  });
});

test('one that there is not is answered with the nearest', async () => {
  expect(await explain('isMountd')).toMatchObject({ code: 2, err: expect.stringContaining('did you mean isMounted') });
  expect(await explain('\u001b[2Jnonsense')).toMatchObject({ code: 2, err: expect.not.stringContaining('\u001b') });
});

describe('every code', () => {
  test.each(CODES.map((code) => [`${code.job} ${code.code}`, code] as const))(
    '%s reads well',
    (_, { means, why, remedy }) => {
      for (const text of [means, why, remedy]) expect(text).toMatch(/^[^a-z\s].*[.?]$/s);
    },
  );

  test('of a job has a name of its own', () => {
    const names = CODES.flatMap(({ job, code, also }) => [code, ...also].map((name) => `${job} ${name}`));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  /** The types see to most of it; this sees what they cannot: a code that is written as a plain text somewhere. */
  test('that stands in the code of a job is explained', () => {
    const root = resolve(import.meta.dirname, '../../..');
    const files = globSync('src/{topology,devices,lvm,pool,sync,agent}/**/*.ts', { cwd: root }).filter(
      (file) => !/\.test\.ts$|simulated|builders|fixtures/.test(file),
    );
    const found = files.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/\b(?:fact|reason): '(\w+)'/g)].map(([, code = '']) => code),
    );
    expect(new Set(found).size).toBeGreaterThan(60);
    expect([...new Set(found)].filter((code) => codesNamed(code).length === 0)).toEqual([]);
  });
});
