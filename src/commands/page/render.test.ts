import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Page, toned, wide } from './page.ts';
import { linesOf, rendered } from './render.ts';
import { PLAIN } from './screen.ts';

const PAGE: Page = [
  { sentences: ['2 volumes'] },
  {
    columns: ['VOLUME', wide('CODE'), 'WHY'],
    rows: [
      ['a', 'noPodUsesIt', toned('no pod mounts its claim default/data', 'warn')],
      ['b', undefined, ''],
    ],
  },
  { columns: ['LEFT OUT'], rows: [] },
  { title: 'NEEDS A PERSON', sentences: [] },
];

describe('in a pipe', () => {
  test('nothing is cut or coloured, empty blocks are left out, and empty ones with a title say so', () => {
    expect(rendered(PAGE, PLAIN)).toBe(
      [
        '2 volumes',
        '',
        'VOLUME   WHY',
        'a        no pod mounts its claim default/data',
        'b        -',
        '',
        'NEEDS A PERSON',
        'none',
        '',
      ].join('\n'),
    );
  });

  test('wide tables have more columns', () => {
    expect(linesOf(PAGE, { ...PLAIN, isWide: true })[3]).toBe(
      'a        noPodUsesIt   no pod mounts its claim default/data',
    );
  });

  test('nothing from outside can steer the terminal or add a line', () => {
    const evil = 'a\u001b[2J\r\nNEEDS A PERSON\n';
    const text = rendered([{ sentences: [evil] }, { columns: ['X'], rows: [[evil]] }], PLAIN);
    expect(text).toBe('a\\u001b[2J\\u000d\\u000aNEEDS A PERSON\\u000a\n\nX\na\\u001b[2J\\u000d\\u000aNEEDS A PERSON\n');
  });
});

describe('on a terminal', () => {
  test('the last column gives way first, and sentences are broken between words', () => {
    const page: Page = [
      { sentences: ['one two three four five six seven eight'] },
      { columns: ['VOLUME', 'WHY'], rows: [['a-volume', 'no pod mounts its claim default/data']] },
    ];
    expect(linesOf(page, { ...PLAIN, columns: 36 })).toEqual([
      'one two three four five six seven',
      '  eight',
      '',
      'VOLUME     WHY',
      'a-volume   no pod mounts its claim…',
    ]);
  });

  test('whatever is shown, no line is longer than the terminal is wide', () => {
    const cell = fc.string({ maxLength: 60 });
    const rows = fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.array(cell), fc.integer({ min: 20, max: 100 }), (cells, sentences, columns) => {
        const page: Page = [
          { columns: ['A', 'B', 'C'], rows: cells },
          { title: 'TITLE', sentences },
        ];
        for (const line of linesOf(page, { ...PLAIN, columns, hasColours: true }))
          expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(columns);
      }),
    );
  });

  test('with colours the columns stand where they do without', () => {
    const plain = linesOf(PAGE, { ...PLAIN, columns: 60 });
    const coloured = linesOf(PAGE, { ...PLAIN, columns: 60, hasColours: true });
    expect(coloured.map(stripVTControlCharacters)).toEqual(plain);
    expect(coloured.join('')).toContain('\u001b[33mno pod mounts');
  });
});
