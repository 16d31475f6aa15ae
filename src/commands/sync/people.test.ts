/** What the commands of sync print. What they do is tried with real clusters in test/integration/sync/people.test.ts. */
import { describe, expect, test } from 'vitest';
import { SYNC_ENABLED, SYNC_LABEL } from '../../sync/contract.ts';
import type { Finding } from '../../sync/export/verify-chain.ts';
import { aPair, RecoveryWorld, together } from '../../sync/recover/builders.ts';
import { desiredVolume } from '../../sync/recover/desired.ts';
import type { LookedUp } from '../../sync/recover/look-up.ts';
import type { RecoveryPlan } from '../../sync/recover/plan.ts';
import { rendered } from '../page/render.ts';
import { PLAIN } from '../page/screen.ts';
import { asText as drillText } from './drill.ts';
import { planPage, printed } from './plan.ts';
import { checkScope, knownEpoch, leftOut, notHereInWords } from './take-the-role.ts';
import { asText as findingsText } from './verify.ts';

const volume = (key: string) => ({ kind: 'PersistentVolume', key }) as const;

const aPlan = (parts: Partial<RecoveryPlan> = {}): RecoveryPlan => ({
  disown: [],
  namespaces: [],
  create: [],
  change: [],
  remove: [],
  same: { volumes: 0, claims: 0 },
  present: [],
  refused: [],
  ...parts,
});

const looked = (plan: RecoveryPlan): Pick<LookedUp, 'found' | 'plan'> => ({
  plan,
  found: { key: 'prod/1_storage_objects.json', exportedAt: '2026-03-01T11:00:00Z' } as LookedUp['found'],
});

const textOf = (plan: RecoveryPlan) => rendered(planPage(printed(looked(plan) as LookedUp)), PLAIN);

describe('a plan', () => {
  test('says in one line that there is nothing to do', () => {
    const text = textOf(aPlan({ same: { volumes: 3, claims: 2 } }));
    expect(text).toContain('to do       nothing to do');
    expect(text).toContain('in place    3 volumes and 2 claims');
    expect(text).not.toContain('ACTION');
  });

  test('names each object with what becomes of it and why', () => {
    const identity = { uid: 'u', resourceVersion: '1' };
    const text = textOf(
      aPlan({
        namespaces: ['shop'],
        create: [{ ...volume('a'), make: () => ({ metadata: {} }) }],
        change: [{ ...volume('b'), ...identity, patch: {}, fields: ['metadata.labels'] }],
        remove: [{ ...volume('c'), ...identity }],
      }),
    );
    expect(text).toContain('1 to make, 1 to create, 1 to change, 1 to remove');
    expect(text).toMatch(/change +PersistentVolume +b +metadata\.labels/);
    expect(text).toMatch(/remove +PersistentVolume +c +it is no longer in the export/);
  });

  test('names what is left alone because somebody else has made it', () => {
    expect(textOf(aPlan({ present: [volume('p')] }))).toMatch(/leave +PersistentVolume +p +it is here as it should be/);
  });

  test('says of each refusal what to do, once, and of what goes on by itself only that it waits', () => {
    const refused = [
      { ...volume('x'), fact: 'existsAndIsNotOurs', message: 'x is there' },
      { ...volume('y'), fact: 'existsAndIsNotOurs', message: 'y is there' },
      { ...volume('z'), fact: 'isBeingDeleted', message: 'z is being deleted' },
    ] as const;
    const text = textOf(aPlan({ refused }));
    expect(text).toMatch(/refuse +PersistentVolume +x +x is there/);
    expect(text).toMatch(/wait +PersistentVolume +z/);
    expect(text.match(/It is left alone/g)).toHaveLength(1);
  });

  test('shows no control characters of an export on a terminal', () => {
    expect(textOf(aPlan({ create: [{ ...volume('a\u001b[31m'), make: () => ({ metadata: {} }) }] }))).not.toContain(
      '\u001b',
    );
  });
});

test('a drill says how long a restore takes, and what has no copy', () => {
  const result = { export: 'prod/1.json', at: '', seconds: 2.5, volumes: 3, claims: 2, succeeded: true };
  expect(drillText({ ...result, skipped: 0 })).toBe('a restore of 3 volumes and 2 claims of prod/1.json took 2.5 s\n');
  expect(drillText({ ...result, succeeded: false, skipped: 1 })).toMatch(
    /failed after 2\.5 s\n1 objects of the export/,
  );
});

test('a verification counts what it looked at, and shows what is not sound', () => {
  const finding = (severity: Finding['severity'], key: string): Finding => ({
    severity,
    key,
    fact: 'chainIsBroken',
    message: 'm',
  });
  const findings = [finding('sound', 'a'), finding('broken', 'b')];
  expect(findingsText(findings, findings.slice(1))).toMatch(
    /^1 sound, 0 to note, 1 broken\n\n +KEY +WHAT\nbroken +b +m\n$/,
  );
  expect(findingsText(findings.slice(0, 1), [])).toBe('1 sound, 0 to note, 0 broken\n');
});

test('a failover names what is here by somebody else and would not be exported', () => {
  const world = new RecoveryWorld('apps');
  const exported = together(aPair('a'), aPair('b'));
  const [labelled, unlabelled] = exported.volumes.map((each) => desiredVolume(each, { sync: 'other', spec: {} }));
  world.has({ ...labelled, metadata: { ...labelled?.metadata, labels: { [SYNC_LABEL]: SYNC_ENABLED } } });
  world.has({ ...unlabelled, metadata: { ...unlabelled?.metadata, labels: {} } });
  const left = leftOut({ plan: world.plan(exported), seen: world.seen(exported) });
  expect(left).toEqual([volume('b')]);
});

test('a failover does not end well while restored objects are not in the scope of exports', () => {
  const counts = { disown: 0, create: 0, change: 0, remove: 0, release: 0 };
  expect(() => checkScope({ counts, failures: [] })).not.toThrow();
  expect(() => checkScope({ counts: { ...counts, release: 2 }, failures: [] })).toThrow(
    '2 of the restored objects lose the label volumesyncs.storage.cndev.nl/sync again',
  );
});

test('a failover that is forced names what of the export is not here', () => {
  expect(notHereInWords(aPlan())).toBe('');
  const create = Array.from({ length: 21 }, (_, index) => ({ ...volume(`v${index}`), make: () => ({ metadata: {} }) }));
  const refused = [{ ...volume('x'), fact: 'nodeVolume', message: 'x' }] as const;
  const text = notHereInWords(aPlan({ create, refused }));
  expect(text).toContain('  PersistentVolume v0 was not created yet\n');
  expect(text).toContain('  and 2 more\n');
  expect(notHereInWords(aPlan({ refused }))).toContain('  PersistentVolume x is refused: nodeVolume\n');
});

test('a failover knows the highest epoch that was seen, restored or not', () => {
  const spec = { protectedCluster: 'prod', mode: 'Recovery', cloudProvider: 's3', retention: 5 } as const;
  const at = (epoch: number) => ({
    key: 'prod/1_storage_objects.json',
    sha256: '',
    exportedAt: '',
    epoch,
    sequence: 1,
  });
  const seen = { cluster: 'prod', pointer: true, newest: at(4) };
  expect(knownEpoch({ spec })).toBe(0);
  expect(knownEpoch({ spec, status: { export: at(3), seen } })).toBe(4);
  expect(knownEpoch({ spec, status: { export: at(5), seen } })).toBe(5);
});
