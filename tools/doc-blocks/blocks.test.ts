/** Every block of commands in the documentation is run by a test, or says why not. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Block, blocksOf, commandsToRun, docPages, faultsOf, fencesOf } from './blocks.ts';

const root = resolve(import.meta.dirname, '../..');
const all = docPages().flatMap((page) => blocksOf(page));
const at = ({ page, line }: Block): string => `${page}:${line}`;

test('there are pages with blocks, and most are run', () => {
  expect(all.length).toBeGreaterThan(60);
  expect(all.filter(({ run }) => run !== undefined).length).toBeGreaterThan(all.length / 2);
});

test('each block is run somewhere, or says why not', () => {
  expect(all.flatMap((block) => faultsOf(block).map((fault) => `${at(block)}: ${fault}`))).toEqual([]);
});

test('each block says what it is, so that none is overlooked', () => {
  const unnamed = docPages().flatMap((page) =>
    fencesOf(page).filter(({ language }) => ['', 'bash', 'shell', 'zsh'].includes(language)),
  );
  expect(unnamed.map(at)).toEqual([]);
});

/** Of the targets that no tier needs. */
const RUN_BY: Readonly<Record<string, string>> = {
  demo: 'test/integration/demo/demo.test.ts',
  image: 'test/host/image/image.test.ts',
};

/** The targets that `make test` reaches. */
function targetsOfTest(): ReadonlySet<string> {
  const makefile = readFileSync(join(root, 'Makefile'), 'utf8');
  const needs = (target: string): readonly string[] => {
    const [, rest = ''] = new RegExp(`^${target}:([^#\n]*)`, 'm').exec(makefile) ?? [];
    const names = rest.split(/\s+/).map((name) => (name === '$(SETUP)' ? 'setup' : name));
    return names.filter((name) => /^[a-z]/.test(name) && name !== target).flatMap((name) => [name, ...needs(name)]);
  };
  return new Set(['test', ...needs('test')]);
}

test('each target that is said to be run by the tiers is one that make test reaches, or has a test of its own', () => {
  const reached = targetsOfTest();
  expect(reached).toContain('control-plane');
  const named = all.filter(({ run }) => run === 'make').flatMap(commandsToRun);
  const targets = named.map((command) => /^make ([a-z-]+)(?: *#.*)?$/.exec(command)?.[1] ?? command);
  expect(targets.length).toBeGreaterThan(3);
  expect(targets.filter((target) => !reached.has(target) && !existsSync(join(root, RUN_BY[target] ?? 'none')))).toEqual(
    [],
  );
});

describe('what is found on a page', () => {
  const page = [
    'Text',
    '<!-- run: demo -->',
    '<!-- not run (lvs): on the node -->',
    '```sh',
    'holdfast status \\',
    '  devices # how they are',
    'lvs -a',
    '```',
    '',
    '```sh',
    'rm -rf /',
    '```',
    '<!-- run: nowhere, ends with 3 -->',
    '```console',
    '$ holdfast version',
    '0.1.0',
    '```',
  ].join('\n');
  const [first, second, third] = blocksOf('page.md', page);

  test('is what is run and what is not', () => {
    expect(first && commandsToRun(first)).toEqual(['holdfast status    devices # how they are']);
    expect(first).toMatchObject({ line: 4, run: 'demo', notRun: [{ beginning: 'lvs', why: 'on the node' }] });
    expect(third && commandsToRun(third)).toEqual(['holdfast version']);
    expect([first?.endsWith, third?.endsWith]).toEqual([0, 3]);
  });

  test('is what is wrong: no mark, and a place that there is not', () => {
    expect(first && faultsOf(first)).toEqual([]);
    expect(second && faultsOf(second)).toEqual(['nothing says where it is run, or why not']);
    expect(third && faultsOf(third)).toEqual(['there is no place nowhere']);
  });
});
