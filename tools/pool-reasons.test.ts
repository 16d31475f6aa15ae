/** Every reason that a pool can give is explained, with what to do about it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FACTS } from '../src/pool/reasons.ts';

const page = readFileSync(join(import.meta.dirname, '../docs/pool.md'), 'utf8');
const [section = ''] = page.split('### Reasons, and what to do\n')[1]?.split('\n###') ?? [];
const rows = [...section.matchAll(/^\| `(\w+)` \| ([\w ]+) \|/gm)].map(([, reason, severity]) => [reason, severity]);

test('docs/pool.md explains each reason once, in the order of the alphabet, and says how bad it is', () => {
  const words = { degraded: 'degraded', waiting: 'waiting', held: 'as you chose' };
  const wanted = Object.entries(FACTS).map(([reason, severity]) => [reason, words[severity]]);
  expect(rows).toEqual(wanted.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)));
});
