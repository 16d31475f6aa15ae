/** What a control plane makes of these is tried in test/integration/pool/objects.test.ts. */
import { describe, expect, test } from 'vitest';
import type { StatefulSet } from '../../api/stateful-sets.ts';
import type { PvPool, PvPoolSpec } from '../contract.ts';
import { TEMPLATE_ANNOTATION } from '../contract.ts';
import { belongsTo } from './owned.ts';
import { serviceOf } from './service.ts';
import { statefulSetOf } from './stateful-set.ts';
import { templateFactsOf } from './template-mark.ts';

const aPool = (spec: Partial<PvPoolSpec> = {}, uid = 'pool-uid'): PvPool => ({
  metadata: { name: 'data', namespace: 'storage', uid },
  spec: { image: 'agents:1', numPVs: 3, pvSizeGB: 5, ...spec },
});

describe('an object belongs to a pool', () => {
  test('that made it, and not to one of the same name that came later', () => {
    const service = serviceOf(aPool());
    expect(belongsTo(aPool(), service)).toBe(true);
    expect(belongsTo(aPool({}, 'later-uid'), service)).toBe(false);
  });

  test('only if that is its controller', () => {
    const [owner] = serviceOf(aPool()).metadata.ownerReferences ?? [];
    const related = { metadata: { ownerReferences: owner ? [{ ...owner, controller: false }] : [] } };
    expect(belongsTo(aPool(), related)).toBe(false);
    expect(belongsTo(aPool(), { metadata: {} })).toBe(false);
  });

  test('that is there: one without a uid cannot own anything', () => {
    expect(() => serviceOf(aPool({}, ''))).toThrow('the pool data has no uid yet');
  });
});

describe('the template', () => {
  const set = statefulSetOf(aPool());
  const withImage = (image: string): StatefulSet => {
    const template = { spec: { ...set.spec?.template?.spec, containers: [{ name: 'storage-agent', image }] } };
    return { ...set, spec: { ...set.spec, template } };
  };

  test('changes back when somebody has changed the image behind the back of the pool', () => {
    const tampered = withImage('somebody:1');
    expect(templateFactsOf(statefulSetOf(aPool(), tampered)).image).toBe('agents:1');
  });

  test('changes when ours makes another of the same spec than the version before did', () => {
    const older = { ...set, metadata: { ...set.metadata, annotations: { [TEMPLATE_ANNOTATION]: 'older' } } };
    const renewed = statefulSetOf(aPool(), older);
    expect(renewed.metadata.annotations).toEqual(set.metadata.annotations);
    expect(renewed.spec?.updateStrategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { partition: 3 } });
  });

  test('leaves other annotations, and how many there are, as they are', () => {
    const annotations = { ...set.metadata.annotations, 'example.com/noted': 'yes' };
    const grown = { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas: 9 } };
    const renewed = statefulSetOf(aPool({ image: 'agents:2', numPVs: 1 }), grown);
    expect(renewed.metadata.annotations).toMatchObject({ 'example.com/noted': 'yes' });
    expect(renewed.spec).toMatchObject({ replicas: 9, updateStrategy: { rollingUpdate: { partition: 9 } } });
  });

  test('is the same in whatever order the fields of the pool were written', () => {
    const asking = (requests: Readonly<Record<string, string>>) => aPool({ resources: { requests } });
    const made = statefulSetOf(asking({ cpu: '1', memory: '1Gi' }));
    expect(statefulSetOf(asking({ memory: '1Gi', cpu: '1' }), made)).toBe(made);
  });

  test.each(['Image', 'Restricted'] as const)('stays %s when the pool no longer says so', (securityContext) => {
    const made = statefulSetOf(aPool({ securityContext }));
    expect(statefulSetOf(aPool(), made)).toBe(made);
    const renewed = statefulSetOf(aPool({ image: 'agents:2' }), made);
    expect(templateFactsOf(renewed).security).toBe(securityContext);
  });

  test('tells the agent how fast to drain, only when the pool says so', () => {
    const text = (pool: PvPool) => JSON.stringify(statefulSetOf(pool));
    const env = JSON.stringify({ name: 'HOLDFAST_DRAIN_BANDWIDTH', value: '50Mi' });
    expect(text(aPool({ drain: { bandwidth: '50Mi' } }))).toContain(env);
    expect(text(aPool({ drain: {} }))).not.toContain('HOLDFAST_DRAIN_BANDWIDTH');
  });
});
