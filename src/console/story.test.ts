import { describe, expect, test } from 'vitest';
import { aReceipt } from '../devices/builders.ts';
import { aRow, noParts } from './builders.ts';
import type { Need } from './model.ts';
import { receiptsOf, type StoryEvent, told } from './story.ts';

const event = (parts: Partial<StoryEvent>): StoryEvent => ({
  metadata: {},
  eventTime: '2026-01-01T00:00:10.000000Z',
  ...parts,
});
const volume = {
  metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z', managedFields: [{ manager: 'x' }] },
  spec: { capacity: { storage: '1Gi' } },
};
const story = (parts: Partial<Parameters<typeof told>[0]> = {}) =>
  told({
    volume,
    row: aRow('well').row,
    parts: noParts(),
    events: [],
    zoneWhy: undefined,
    exports: { marks: [], notLookedAt: 0 },
    ...parts,
  });

describe('the story of a volume', () => {
  test('tells what has happened, oldest first, by whom and how often', () => {
    const later = event({
      note: 'again',
      type: 'Warning',
      reportingController: 'x',
      series: { count: 3, lastObservedTime: '2026-01-01T00:00:30.000000Z' },
    });
    const older = event({
      note: 'once',
      deprecatedSource: { component: 'binder' },
      deprecatedLastTimestamp: '2026-01-01T00:00:05Z',
    });
    expect(story({ events: [later, older] }).moments).toEqual([
      { at: '2026-01-01T00:00:00Z', what: 'The volume was made.' },
      { at: '2026-01-01T00:00:05.000Z', what: 'Once.', by: 'binder' },
      { at: '2026-01-01T00:00:30.000Z', what: 'Again.', by: 'x', isWarning: true, times: 3 },
    ]);
  });

  test('has the whole object without who wrote which field', () => {
    expect(story().yaml).toContain('storage: 1Gi');
    expect(story().yaml).not.toContain('managedFields');
  });

  test('says why it is where it is', () => {
    const { row } = aRow('well', { zone: 'z', pods: ['ns/p'], node: 'n' });
    expect(story({ row, zoneWhy: 'it has the labels' }).zoneWhy).toBe(
      'It carries z, because ns/p uses it on n. It has the labels.',
    );
    expect(story({ zoneWhy: 'no claim has it' }).zoneWhy).toBe('No claim has it.');
  });

  test('has what its node needs because of it, and not what others do', () => {
    const need = (id: string): Need => ({ id, job: 'devices', severity: 'soon', what: '', remedy: '' });
    const needs = [need('device:node-1:a'), need('device:node-1:b'), need('lvm:a'), need('device:a:b')];
    const node = {
      name: 'node-1',
      health: 'well',
      isReady: true,
      remarks: [],
      devices: [],
      groups: [],
      heard: {},
    } as const;
    const forged = {
      row: { ...node, name: 'node-2' },
      needs: [need('device:node-2:a'), need('lvm:a')],
      activities: [],
    };
    const parts = noParts({
      nodes: {
        known: true,
        value: new Map([
          ['node-1', { row: node, needs, activities: [] }],
          ['node-2', forged],
        ]),
      },
    });
    const { row } = aRow('attention', { node: 'node-1' });
    expect(story({ row, parts }).needs.map(({ id }) => id)).toEqual(['device:node-1:a', 'lvm:a']);
  });
});

describe('the receipts of a volume', () => {
  test('are the one that it carries, and those that Events tell of', () => {
    const note = '/dev/sdb is wiped (zero-all, in 2 s): 1024 bytes written and all of them read back';
    const receipts = receiptsOf(JSON.stringify(aReceipt(1024)), [
      event({ reason: 'DeviceWiped', note }),
      event({ reason: 'Other' }),
    ]);
    expect(receipts).toMatchObject([
      { method: 'zero-all', text: `${note}.`, at: '2026-01-01T00:00:10.000Z' },
      { method: 'zero-head', bytes: 1024, verified: true, text: expect.stringContaining('1Ki written') },
    ]);
  });

  test.each(['', 'nonsense', '[]', '{}', 'null', '{"at": 1, "method": 2}'])('are none of %s', (text) => {
    expect(receiptsOf(text, [])).toEqual([]);
  });
});
