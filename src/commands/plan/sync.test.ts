import { expect, test } from 'vitest';
import { rendered } from '../page/render.ts';
import { PLAIN } from '../page/screen.ts';
import { planPage, type SyncPlan } from './sync.ts';

const textOf = (plan: SyncPlan) => rendered(planPage(plan), PLAIN);

test('a cluster that carries nothing says so', () => {
  expect(textOf({ kind: 'none' })).toMatch(/^There is no PersistentVolumeSync/);
});

test('a protected cluster says what it exports, and where a recovery is planned', () => {
  expect(textOf({ kind: 'exports', sync: 'dr', cluster: 'prod' })).toContain(
    'exported as prod. Nothing is exported yet.',
  );
  expect(textOf({ kind: 'exports', sync: 'dr', cluster: 'prod', newest: 'prod/1.json' })).toContain(
    'The newest export is prod/1.json.\nWhat a recovery would do is planned on the recovery cluster.\n',
  );
});
