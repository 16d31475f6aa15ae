import { expect, test } from 'vitest';
import { answerOf, fixablesIn, LEVELS, worseThan } from './answer.ts';
import type { Finding, Judged, Verdict } from './finding.ts';
import { unknown, verdictOn } from './finding.ts';

const finding = (severity: Finding['severity'], more: Partial<Finding> = {}): Finding => ({
  severity,
  subject: 'volume data-0',
  evidence: 'it was seen',
  remedy: 'Do it',
  ...more,
});
const judged = (check: string, verdict: Verdict): Judged => ({ check, verdict });

const answer = answerOf([
  judged('a', verdictOn([finding('info'), finding('error')], '')),
  judged('b', unknown('it may not be read')),
  judged('c', verdictOn([finding('warning'), finding('warning')], '')),
  judged('d', verdictOn([], 'all is well')),
]);

test('each finding, each unknown and each that is well is counted', () => {
  expect(answer.counts).toEqual({ error: 1, unknown: 1, warning: 2, info: 1, ok: 1 });
});

test('what is worse comes first', () => {
  expect(answer.checks[0]).toMatchObject({ verdict: { findings: [{ severity: 'error' }, { severity: 'info' }] } });
});

test.each(LEVELS.map((level, index) => [level, [1, 2, 4, 5][index]] as const))(
  'from %s on, %i things are not well',
  (level, count) => {
    expect(worseThan(answer, level)).toBe(count);
  },
);

test('what is only unknown is never acceptable to who wants to know', () => {
  const blind = answerOf([judged('a', unknown('it may not be read'))]);
  expect([worseThan(blind, 'error'), worseThan(blind, 'unknown'), worseThan(blind, 'warning')]).toEqual([0, 1, 1]);
});

test('only what has a way to be put right is put right', () => {
  const resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
  const fix = { does: 'delete', resource, ref: { name: 'x' }, uid: 'u', resourceVersion: '1' } as const;
  const checks = [judged('a', verdictOn([finding('error'), finding('warning', { fix })], ''))];
  expect(fixablesIn(checks).map((each) => each.fix)).toEqual([fix]);
});
