import { describe, expect, test } from 'vitest';
import type { PersistentVolume } from '../api/persistent-volumes.ts';
import { FINALIZER, HOSTNAME_LABEL, NODE_ID_LABEL, PREFIX, STORAGE_CLASS } from './contract.ts';
import { belonging, ownNodeOf } from './home.ts';
import { volumeOf } from './volume.ts';

const NODE = ownNodeOf({ name: 'worker-7', labels: { [NODE_ID_LABEL]: 'rack1', [HOSTNAME_LABEL]: 'host-7' } });

const on = (key: string, ...values: string[]) => ({ key, operator: 'In' as const, values });
function of(
  terms: readonly (readonly object[])[],
  { annotations = {}, storageClass = 'other', finalizers = [] as readonly string[] } = {},
) {
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }));
  const volume = volumeOf({
    metadata: { name: 'data', annotations, finalizers },
    spec: {
      local: { path: '/mnt/pv/data' },
      storageClassName: storageClass,
      nodeAffinity: { required: { nodeSelectorTerms } },
    },
  } as PersistentVolume);
  return volume && belonging(volume, NODE, [STORAGE_CLASS]);
}
const ASKED = { annotations: { [`${PREFIX}vg`]: 'fast' } };
const CLASS = { storageClass: STORAGE_CLASS };
const HELD = { finalizers: [FINALIZER] };

describe('a node', () => {
  test.each([
    ['the label', { [NODE_ID_LABEL]: 'rack1' }, 'rack1'],
    ['the digits at the end of the host name', { [HOSTNAME_LABEL]: 'db-07.example.com' }, 'node07'],
    ['the digits at the end of its name, where it has no host name', {}, 'node7'],
    ['nothing, where there are none', { [HOSTNAME_LABEL]: 'database' }, undefined],
  ])('has its id from %s', (_, labels: Record<string, string>, id) => {
    expect(ownNodeOf({ name: 'worker-7', labels }).id).toBe(id);
  });
});

describe('a volume', () => {
  test.each<[string, ReturnType<typeof of>, string]>([
    ['that names the id of the node', of([[on(NODE_ID_LABEL, 'rack1')]]), 'ours'],
    ['that names the id of another', of([[on(NODE_ID_LABEL, 'rack2')]], ASKED), 'not-ours'],
    [
      'that names the id of another beside our host',
      of([[on(NODE_ID_LABEL, 'rack2'), on(HOSTNAME_LABEL, 'host-7')]], ASKED),
      'not-ours',
    ],
    ['that names our host, and has an annotation of ours', of([[on(HOSTNAME_LABEL, 'host-7')]], ASKED), 'ours'],
    ['that names our host, and has our class only', of([[on(HOSTNAME_LABEL, 'host-7')]], CLASS), 'homeless'],
    ['that names our host, and nothing of ours', of([[on(HOSTNAME_LABEL, 'host-7')]]), 'not-ours'],
    ['that names our host, and that we hold', of([[on(HOSTNAME_LABEL, 'host-7')]], HELD), 'ours'],
    ['that names another host', of([[on(HOSTNAME_LABEL, 'host-8')]], { ...ASKED, ...CLASS }), 'not-ours'],
    ['that names two nodes', of([[on(NODE_ID_LABEL, 'rack1', 'rack2')]], ASKED), 'homeless'],
    ['that names our id in one of two terms', of([[on(NODE_ID_LABEL, 'rack1')], [on('zone', 'a')]], CLASS), 'homeless'],
    ['that names no node, and is not meant for us', of([[on('zone', 'a')]]), 'not-ours'],
    [
      'that has nothing of ours but what we wrote',
      of([[on(HOSTNAME_LABEL, 'host-7')]], { annotations: { [`${PREFIX}status`]: 'x' } }),
      'not-ours',
    ],
  ])('%s is %3$s', (_, belongs, expected) => {
    expect(belongs).toBe(expected);
  });
});
