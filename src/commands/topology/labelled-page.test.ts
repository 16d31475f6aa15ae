import { expect, test } from 'vitest';
import { ZONE } from '../../topology/contract.ts';
import type { LabelledOnce } from '../../topology/once.ts';
import { rendered } from '../page/render.ts';
import { PLAIN } from '../page/screen.ts';
import { labelledPage } from './label-once.ts';

const shown = (once: LabelledOnce): string => rendered(labelledPage(once), PLAIN);

const change = {
  volume: 'pv-1',
  claim: 'default/data-1',
  node: 'node-a',
  pod: 'default/web-1',
  changes: [{ key: ZONE, from: '', to: 'a' }],
  nodeAffinity: false,
  outcome: 'labelled',
} as const;
const trouble = { volume: 'pv-2', claim: 'default/data-2', code: 'placesDoNotFit', why: 'it is too long' } as const;

test('what is not as it should be stands under what was changed, and is counted', () => {
  const lines = shown({ volumes: 2, changes: [change], troubles: [trouble] }).split('\n');
  expect(lines.findIndex((line) => line.includes('VOLUMES IN TROUBLE'))).toBeGreaterThan(1);
  expect(lines.find((line) => line.startsWith('pv-2'))).toMatch(/^pv-2 +default\/data-2 +it is too long$/);
  expect(lines).toContain('1 labelled; 2 volumes were looked at, 1 of them in trouble.');
});

test('where nothing is wrong, nothing is said about it', () => {
  expect(shown({ volumes: 3, changes: [], troubles: [] })).toBe('Nothing to change; 3 volumes were looked at.\n');
});
