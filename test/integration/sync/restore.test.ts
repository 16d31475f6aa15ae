/** What is decided and written for a recovery, on a real API server with its binder: what is bound to what, what the server refuses, and what it costs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NAMESPACES } from '../../../src/api/namespaces.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../../src/api/persistent-volume-claims.ts';
import { PERSISTENT_VOLUMES } from '../../../src/api/persistent-volumes.ts';
import { Snapshot } from '../../../src/kit/cache/snapshot.ts';
import { atOnce } from '../../../src/kit/in-turns.ts';
import { RECOVERY_LABEL, SYNC_LABEL } from '../../../src/sync/contract.ts';
import { readDocument } from '../../../src/sync/export/document.ts';
import { applyPlan, sizeOf } from '../../../src/sync/recover/apply.ts';
import { aClaim, aPair, aVolume, bodyOf, type Exported, together } from '../../../src/sync/recover/builders.ts';
import { decide } from '../../../src/sync/recover/decide.ts';
import {
  CLAIM_INDEXES,
  projectClaim,
  projectNamespace,
  projectVolume,
  VOLUME_INDEXES,
} from '../../../src/sync/recover/local.ts';
import { outlining } from '../../../src/sync/recover/outline.ts';
import type { RecoveryPlan } from '../../../src/sync/recover/plan.ts';
import { bringIntoScope, release } from '../../../src/sync/recover/release.ts';
import type { RestoreSpec } from '../../../src/sync/recover/seen.ts';
import type { Writing, Written } from '../../../src/sync/recover/writing.ts';
import { type ControlPlane, startControlPlane } from '../../harness/control-plane.ts';
import { createClass } from '../../harness/played-volumes.ts';
import { eventually } from '../../harness/wait.ts';
import { type Connected, connected } from '../kit/connected.ts';
import { type Claim, claimsIn, VOLUMES, type Volume } from './world.ts';

let plane: ControlPlane;
let kit: Connected;
beforeAll(async () => {
  plane = await startControlPlane({ controllers: true });
  kit = connected(plane, plane.adminToken);
  await createClass(plane.admin, 'standard', { isDefault: true });
  await createClass(plane.admin, 'elastic', { expands: true });
});
afterAll(async () => {
  await kit?.[Symbol.asyncDispose]();
  await plane?.[Symbol.asyncDispose]();
});

const signal = new AbortController().signal;

/** A resource of its own, so that what one test restores is nothing to the next. */
class Recovery {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  get writing(): Writing {
    return { client: kit.client, sync: this.name, signal };
  }

  /** From what the server says now. */
  async plan(exported: Exported, spec: RestoreSpec = {}): Promise<RecoveryPlan> {
    const views = new Snapshot();
    const volumes = views.view(PERSISTENT_VOLUMES, { project: projectVolume, indexes: VOLUME_INDEXES });
    const claims = views.view(PERSISTENT_VOLUME_CLAIMS, { project: projectClaim, indexes: CLAIM_INDEXES });
    const namespaces = views.view(NAMESPACES, { project: projectNamespace });
    await views.fill(kit.client, { signal });
    const document = readDocument(bodyOf(exported));
    const outline = atOnce(outlining(document));
    const expandingClasses = new Set(['elastic', 'standard']);
    return decide({ sync: this.name, spec, document, outline, volumes, claims, namespaces, expandingClasses });
  }

  async restore(exported: Exported, spec: RestoreSpec = {}): Promise<Written> {
    const written = await applyPlan(await this.plan(exported, spec), this.writing);
    expect(written.failures).toEqual([]);
    return written;
  }

  /** And the next pass has nothing to do. */
  async isAsExported(exported: Exported): Promise<void> {
    const plan = await this.plan(exported);
    expect({ size: sizeOf(plan), refused: plan.refused }).toEqual({ size: 0, refused: [] });
  }
}

const volume = (name: string) => plane.admin.get<Volume>(`${VOLUMES}/${name}`);
const claim = (namespace: string, name: string) => plane.admin.get<Claim>(`${claimsIn(namespace)}/${name}`);

async function isBound(namespace: string, name: string, to: string): Promise<void> {
  await eventually(
    async () => {
      const { spec, status } = await claim(namespace, name);
      expect({ volume: spec.volumeName, phase: status.phase }).toEqual({ volume: to, phase: 'Bound' });
    },
    { timeout: 60_000, for: `${namespace}/${name} to be bound to ${to}` },
  );
}

const hasPhase = (name: string, phase: string) =>
  eventually(async () => expect((await volume(name)).status.phase).toBe(phase), { timeout: 60_000 });

/** The claim of a pair, with another spec. */
const withClaim = (pair: Required<Exported>, spec: Readonly<Record<string, unknown>>): Required<Exported> => ({
  ...pair,
  claims: pair.claims.map((each) => ({ ...each, spec: { ...each.spec, ...spec } })),
});

describe('the binder', () => {
  test('binds each restored claim to the volume that it had, and the next pass writes nothing', async () => {
    const recovery = new Recovery('binding');
    const exported = together(...['a', 'b', 'c', 'd', 'e'].map((each) => aPair(`bind-${each}`, `binding/${each}`)));
    const { counts } = await recovery.restore(exported);
    expect(counts).toMatchObject({ create: 10, change: 0, remove: 0 });
    for (const each of ['a', 'b', 'c', 'd', 'e']) await isBound('binding', each, `bind-${each}`);
    await recovery.isAsExported(exported);
  });

  test('binds one without a class although there is a default class, and one that asks for more than its volume has', async () => {
    const recovery = new Recovery('odd');
    const exported = together(
      withClaim(aPair('odd-classless', 'odd/classless', { storageClassName: '' }), { storageClassName: undefined }),
      withClaim(aPair('odd-growing', 'odd/growing'), { resources: { requests: { storage: '40Gi' } } }),
      withClaim(aPair('odd-class', 'odd/class'), { storageClassName: 'another' }),
    );
    await recovery.restore(exported);
    for (const each of ['classless', 'growing', 'class']) await isBound('odd', each, `odd-${each}`);
    await recovery.isAsExported(exported);
  });

  test('gives a volume back to the claim that was deleted here and is restored', async () => {
    const recovery = new Recovery('again');
    const exported = aPair('again-a', 'again/a');
    await recovery.restore(exported);
    await isBound('again', 'a', 'again-a');
    await plane.admin.delete(`${claimsIn('again')}/a`);
    await hasPhase('again-a', 'Released');
    await recovery.restore(exported);
    await isBound('again', 'a', 'again-a');
    await recovery.isAsExported(exported);
  });

  test('gives it to nobody else who takes the name of that claim', async () => {
    const recovery = new Recovery('taken');
    const exported = aPair('taken-a', 'taken/a');
    await recovery.restore(exported);
    await isBound('taken', 'a', 'taken-a');
    await plane.admin.delete(`${claimsIn('taken')}/a`);
    await hasPhase('taken-a', 'Released');
    await plane.admin.post(claimsIn('taken'), { metadata: { name: 'a' }, spec: aClaim('taken/a').spec });
    const plan = await recovery.plan(exported);
    expect({ size: sizeOf(plan), facts: plan.refused.map(({ fact }) => fact) }).toEqual({
      size: 0,
      facts: ['existsAndIsNotOurs'],
    });
    expect((await claim('taken', 'a')).status.phase).toBe('Pending');
  });

  test('lets a pair go in one pass, although it writes to the volume meanwhile', async () => {
    const recovery = new Recovery('leaving');
    const stays = together(...Array.from({ length: 6 }, (_, index) => aPair(`stays-${index}`, `leaving/s${index}`)));
    await recovery.restore(together(stays, aPair('leaves', 'leaving/gone')));
    await isBound('leaving', 'gone', 'leaves');
    const { counts } = await recovery.restore(stays);
    expect(counts.remove).toBe(2);
    await eventually(async () => (await plane.admin.request('GET', `${VOLUMES}/leaves`)).status === 404, {
      timeout: 60_000,
    });
  });
});

describe('the server', () => {
  test('removes a label that the export has lost, and keeps one that somebody else has given', async () => {
    const recovery = new Recovery('labels');
    const labelled = (labels: Record<string, string>) => ({ volumes: [aVolume('labels-a', {}, { labels })] });
    await recovery.restore(labelled({ app: 'shop', tier: 'gold' }));
    await plane.admin.patch(`${VOLUMES}/labels-a`, { metadata: { labels: { zone: 'here' } } });
    await recovery.restore(labelled({ app: 'store' }));
    expect((await volume('labels-a')).metadata.labels).toEqual({
      app: 'store',
      zone: 'here',
      [RECOVERY_LABEL]: 'labels',
    });
    await recovery.isAsExported(labelled({ app: 'store' }));
  });

  test('does not let what has appeared meanwhile be taken over', async () => {
    const recovery = new Recovery('race');
    const plan = await recovery.plan(aPair('race-a', 'default/race-a'));
    const theirs = { ...aVolume('race-a'), metadata: { name: 'race-a', labels: { owner: 'somebody' } } };
    const { metadata } = await plane.admin.post<Volume>(VOLUMES, theirs);
    const { failures } = await applyPlan(plan, recovery.writing);
    expect(failures.map(({ kind, doing }) => `${doing} ${kind}`)).toEqual([
      'create PersistentVolume',
      'create PersistentVolumeClaim',
    ]);
    const now = await volume('race-a');
    expect(now.metadata.uid).toBe(metadata.uid);
    expect(now.metadata.labels).toEqual({ owner: 'somebody' });
  });

  test('would let it be taken over by server-side apply, and keep labels that such an apply has lost: why there is none', async () => {
    const posted = (name: string, fieldManager: string, labels: object) =>
      plane.admin.post(`${VOLUMES}?fieldManager=${fieldManager}`, { ...aVolume(name), metadata: { name, labels } });
    const applied = (name: string, labels: object) =>
      plane.admin.patch(
        `${VOLUMES}/${name}?fieldManager=holdfast-sync`,
        { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name, labels } },
        'apply',
      );
    await posted('apply-theirs', 'somebody', { owner: 'somebody' });
    await applied('apply-theirs', { [RECOVERY_LABEL]: 'apply' });
    expect((await volume('apply-theirs')).metadata.labels).toHaveProperty([RECOVERY_LABEL], 'apply');
    await posted('apply-ours', 'holdfast-sync', { app: 'shop', tier: 'gold' });
    await applied('apply-ours', { app: 'shop' });
    expect((await volume('apply-ours')).metadata.labels).toEqual({ app: 'shop', tier: 'gold' });
  });

  test('takes all that is changed in place, in one write, and sees nothing to do afterwards', async () => {
    const recovery = new Recovery('changes');
    await recovery.restore({ volumes: [aVolume('changes-a')] });
    await hasPhase('changes-a', 'Available');
    const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }] };
    const spec = {
      capacity: { storage: '20Gi' },
      accessModes: ['ReadOnlyMany'],
      mountOptions: ['nfsvers=4.1'],
      storageClassName: 'elastic',
      nodeAffinity: { required },
    };
    const exported = { volumes: [aVolume('changes-a', spec, { annotations: { 'example.com/a': 'b' } })] };
    expect((await recovery.restore(exported)).counts).toMatchObject({ change: 1 });
    expect((await volume('changes-a')).spec).toMatchObject(spec);
    await recovery.isAsExported(exported);
  });

  test('refuses what we say cannot be changed', async () => {
    const recovery = new Recovery('lasting');
    await recovery.restore(aPair('lasting-a', 'lasting/a'));
    await isBound('lasting', 'a', 'lasting-a');
    const change = (path: string, spec: object) =>
      plane.admin.request('PATCH', path, { spec }, 'application/merge-patch+json');
    expect((await change(`${VOLUMES}/lasting-a`, { nfs: { path: '/other' } })).status).toBe(422);
    expect((await change(`${VOLUMES}/lasting-a`, { volumeMode: 'Block' })).status).toBe(422);
    const path = `${claimsIn('lasting')}/a`;
    expect((await change(path, { storageClassName: 'elastic' })).status).toBe(422);
    expect((await change(path, { volumeName: 'other' })).status).toBe(422);
    expect((await change(path, { accessModes: ['ReadOnlyMany'] })).status).toBe(422);
    // Its class does not exist here.
    expect((await change(path, { resources: { requests: { storage: '11Gi' } } })).status).toBe(403);
  });

  test('lets a bound claim grow whose class lets it, and no other', async () => {
    const recovery = new Recovery('growing');
    const of = (storage: string) =>
      withClaim(aPair('growing-a', 'growing/a', { storageClassName: 'elastic', capacity: { storage } }), {
        resources: { requests: { storage } },
      });
    await recovery.restore(of('10Gi'));
    await isBound('growing', 'a', 'growing-a');
    expect((await recovery.restore(of('20Gi'))).counts).toMatchObject({ change: 2 });
    await recovery.isAsExported(of('20Gi'));
    const waiting = withClaim({ volumes: [], claims: [aClaim('growing/waiting')] }, { storageClassName: 'elastic' });
    await recovery.restore(together(of('20Gi'), waiting));
    const path = `${claimsIn('growing')}/waiting`;
    const { status } = await plane.admin.request(
      'PATCH',
      path,
      { spec: { resources: { requests: { storage: '90Gi' } } } },
      'application/merge-patch+json',
    );
    expect(status).toBe(422);
  });

  test('keeps what is released, and what is brought into scope, as it was but for the labels', async () => {
    const recovery = new Recovery('release');
    const exported = together(
      ...Array.from({ length: 5 }, (_, index) => aPair(`release-${index}`, `release/c${index}`)),
    );
    await recovery.restore(exported);
    for (let index = 0; index < 5; index += 1) await isBound('release', `c${index}`, `release-${index}`);
    expect(await bringIntoScope(recovery.writing)).toMatchObject({ counts: { release: 10 }, failures: [] });
    expect((await volume('release-0')).metadata.labels).toMatchObject({ [SYNC_LABEL]: 'enabled' });
    await recovery.restore(exported);
    expect((await volume('release-0')).metadata.labels).toEqual({ [RECOVERY_LABEL]: 'release' });
    const before = await volume('release-0');
    expect(await release(recovery.writing)).toMatchObject({ counts: { release: 10 }, failures: [] });
    const after = await volume('release-0');
    expect(after.metadata.labels).toBeUndefined();
    expect({ spec: after.spec, uid: after.metadata.uid }).toEqual({ spec: before.spec, uid: before.metadata.uid });
  });
});
