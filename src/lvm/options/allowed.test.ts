import { describe, expect, test } from 'vitest';
import { FILE_SYSTEMS } from '../contract.ts';
import { ALLOWED, type Allowed, type Value } from './allowed.ts';

/** With their settings, as reasons for refusals name them. */
function namesIn(list: readonly Allowed[], before = ''): string[] {
  return list.flatMap(({ name, aliases = [], value }) => [
    ...[name, ...aliases].map((each) => `${before}${each}`),
    ...(value.is === 'settings' ? namesIn(value.settings, `${before}${name}.`) : []),
    ...wordsOf(value).map((word) => `${before}${name}=${word}`),
  ]);
}

function wordsOf(value: Value): readonly string[] {
  if (value.is === 'word') return value.words;
  if (value.is === 'levelled') return Object.keys(value.highest);
  return value.is === 'features' ? Object.keys(value.features) : [];
}

const sentencesIn = (list: readonly Allowed[]): string[] =>
  list.flatMap(({ what, value }) => [what, ...(value.is === 'settings' ? sentencesIn(value.settings) : [])]);

describe.each(FILE_SYSTEMS)('the table for %s', (fsType) => {
  const { mkfs, mkfsRefused, mount, mountRefused } = ALLOWED[fsType];

  test.each([
    ['mkfs', mkfs],
    ['mount', mount],
  ])('names each option of %s once', (_, list) => {
    const names = namesIn(list);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  test.each([
    ['mkfs', mkfs, mkfsRefused],
    ['mount', mount, mountRefused],
  ])('has no reason to refuse what it allows to %s', (_, list, refused) => {
    const allowed = new Set(namesIn(list));
    expect(refused.flatMap(({ names }) => names).filter((name) => allowed.has(name))).toEqual([]);
  });

  test('has a sentence for each', () => {
    for (const what of sentencesIn([...mkfs, ...mount])) expect(what).toMatch(/^[A-Z].*[^.]$/);
  });

  test('names no file, no path and nothing that a shell or an fstab would read otherwise', () => {
    for (const name of namesIn([...mkfs, ...mount])) expect(name).toMatch(/^[\w.=:-]+$/);
  });
});
