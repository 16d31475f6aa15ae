import { expect, test } from 'vitest';
import { aNodeReport } from '../../lvm/builders.ts';
import { NODE_ID_LABEL } from '../../lvm/contract.ts';
import type { NodeReport } from '../../lvm/node-report.ts';
import { type Looked, type LvmStatus, lvmStatus } from '../../lvm/status.ts';
import { rendered } from '../page/render.ts';
import { PLAIN } from '../page/screen.ts';
import { statusPage } from './lvm.ts';

const statusText = (status: LvmStatus) => rendered(statusPage(status), PLAIN);

const NOW = new Date('2026-01-01T00:12:00Z');
const GIB = 2 ** 30;

const textOf = (parts: Partial<NodeReport>, looked: Partial<Looked> = {}) =>
  statusText(lvmStatus({ reports: [{ report: aNodeReport(parts), namespace: 'storage' }], ...looked }, NOW));

test('groups, pools and volumes stand in tables, then agents that are not well, then what needs a person', () => {
  const pool = { name: 'pool', sizeBytes: 2 * GIB, promisedBytes: 3 * GIB, dataPercent: 81.2 };
  const groups = [{ name: 'fast', sizeBytes: 4 * GIB, freeBytes: 1.5 * GIB, missingDisks: 0, pools: [pool] }];
  const volumes = [
    { volume: 'db-0', state: { is: 'ready' }, vg: 'fast', path: '/mnt/pv/db-0', sizeBytes: GIB, claim: 'default/db-0' },
    {
      volume: 'db-1',
      state: { is: 'refused', fact: 'groupIsFull', why: 'the volume group fast is full', remedy: 'Make room' },
    },
  ] as const;
  const nodes = ['1', '2'].map((name) => ({ name: `node-${name}`, labels: { [NODE_ID_LABEL]: name } }));
  expect(textOf({ groups, volumes }, { nodes, unreadable: ['storage/holdfast-lvm-x'] })).toBe(
    [
      '1 node, 2 volumes: 1 ready, 1 refused',
      '',
      'NODE     GROUP   SIZE   FREE',
      'node-1   fast    4Gi    1.5Gi',
      '',
      'NODE     THIN POOL   SIZE   PROMISED   DATA   METADATA',
      'node-1   fast/pool   2Gi    3Gi        81 %   -',
      '',
      'NODE     VOLUME   SIZE   GROUP   PATH           CLAIM          STATE',
      'node-1   db-0     1Gi    fast    /mnt/pv/db-0   default/db-0   ready',
      'node-1   db-1     -      -       -              -              refused: the volume group fast is full',
      '',
      'AGENTS THAT NEED A LOOK',
      'node-1 was last heard 12 minutes ago: what is shown may not be so any more',
      'no report on node-2: does holdfast lvm run there?',
      'the ConfigMap storage/holdfast-lvm-x is no report that this version of Holdfast can read',
      '',
      'NEEDS A PERSON',
      'node-1: db-1: the volume group fast is full. Make room.',
      '',
    ].join('\n'),
  );
});

test('without any report it is said that there is none', () => {
  expect(statusText(lvmStatus({ reports: [], nodes: [] }, NOW))).toBe(
    '0 nodes, 0 volumes\n\nAGENTS THAT NEED A LOOK\nnone\n\nNEEDS A PERSON\nnone\n',
  );
});

test('nothing in a report can steer the terminal, add a line, or flood it', () => {
  const evil = 'a\u001b[2J\u009b31m\u202eb\r\nNEEDS A PERSON\n';
  const state = { is: 'refused', fact: evil, why: evil, remedy: evil.repeat(1_000) } as const;
  const pools = [{ name: evil, sizeBytes: 1, promisedBytes: 1 }];
  const text = textOf({
    unseen: [evil],
    groups: [{ name: evil, sizeBytes: 1, freeBytes: 1, missingDisks: 1, pools }],
    volumes: [{ volume: 'a', state, vg: evil, path: evil, claim: evil }],
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(text.match(/^NEEDS A PERSON$/gm)).toHaveLength(1);
  expect(text.length).toBeLessThan(5_000);
});
