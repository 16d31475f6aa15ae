import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogicalVolume, VolumeGroup } from './facts.ts';
import { parseReport, REPORT } from './fullreport.ts';

const MIB = 2n ** 20n;
const FIXTURES = new URL('fixtures/', import.meta.url);

/** As real LVM wrote it: test/lab/lvm-worlds.ts makes them, and test/lab/lvm-report.test.ts sees that LVM still writes them so. */
const fixture = (name: string): string => readFileSync(new URL(`${name}.txt`, FIXTURES), 'utf8');

function groupIn(name: string): VolumeGroup {
  const { groups } = parseReport(fixture(name));
  expect([...groups.keys()]).toEqual(['lab']);
  return groups.get('lab') as VolumeGroup;
}

const volumesIn = (name: string): Readonly<Record<string, LogicalVolume>> => Object.fromEntries(groupIn(name).volumes);

describe('the report of a node', () => {
  it.each(['empty', 'without-a-group'])('without volume groups has none: %s', (name) => {
    expect(parseReport(fixture(name)).groups.size).toBe(0);
  });

  it('tells of a group without volumes', () => {
    expect(groupIn('without-volumes')).toEqual({
      name: 'lab',
      uuid: expect.stringMatching(/^\w{6}-/),
      sizeBytes: 124n * MIB,
      freeBytes: 124n * MIB,
      extentBytes: 4n * MIB,
      missingDisks: 0,
      obstacles: [],
      volumes: new Map(),
    });
  });

  it('tells of plain volumes, their tags and their devices', () => {
    expect(groupIn('plain')).toMatchObject({ freeBytes: 228n * MIB, obstacles: [] });
    expect(volumesIn('plain')).toEqual({
      'data-0': {
        name: 'data-0',
        group: 'lab',
        uuid: expect.stringMatching(/^\w{6}-/),
        kind: 'plain',
        sizeBytes: 8n * MIB,
        tags: ['b', 'holdfast.dev/uid=1'],
        isActive: true,
        isSuspended: false,
        isLost: false,
        device: '254:0',
        isReadOnly: false,
        health: '',
      },
      striped: expect.objectContaining({ kind: 'plain', device: '254:1', tags: [] }),
      'read-only': expect.objectContaining({ kind: 'plain', isReadOnly: true }),
    });
  });

  it('tells of inactive volumes whether they are read-only, and no device', () => {
    expect(volumesIn('inactive')).toMatchObject({
      data: { kind: 'plain', isActive: false, isReadOnly: false, device: undefined },
      'read-only': { isActive: false, isReadOnly: true, device: undefined },
    });
  });

  it('tells of a thin pool and what is in it', () => {
    expect(volumesIn('thin')).toMatchObject({
      pool: { kind: 'thin-pool', sizeBytes: 16n * MIB, dataPercent: 0, metadataPercent: 10.94, isActive: true },
      thin: { kind: 'thin', sizeBytes: 32n * MIB, pool: 'pool', origin: undefined, metadataPercent: undefined },
      snapped: { kind: 'snapshot', pool: 'pool', origin: 'thin', isReadOnly: true, isActive: true },
      skipped: { kind: 'snapshot', pool: 'pool', origin: 'thin', isReadOnly: false, isActive: false },
    });
  });

  it('takes a thin snapshot whose origin is gone for a thin volume', () => {
    expect(volumesIn('thin-without-origin')).toMatchObject({ snapped: { kind: 'thin', origin: undefined } });
  });

  it('tells of a pool that is full', () => {
    expect(volumesIn('full-pool')).toMatchObject({
      pool: { dataPercent: 100, health: 'out_of_data' },
      thin: { dataPercent: 50, health: '' },
    });
  });

  it('tells of a classic snapshot the size of its device, and how full it is', () => {
    expect(volumesIn('snapshot')).toMatchObject({
      data: { kind: 'plain', sizeBytes: 8n * MIB, origin: undefined },
      snapped: { kind: 'snapshot', sizeBytes: 8n * MIB, origin: 'data', pool: undefined, dataPercent: 0, health: '' },
    });
    expect(volumesIn('lost-snapshot')).toMatchObject({
      data: { health: '' },
      snapped: { dataPercent: 100, isLost: true, health: 'the snapshot is invalid' },
    });
  });

  it('tells of what it has no word for as of another kind, without the parts of it', () => {
    expect(volumesIn('raid1')).toMatchObject({ mirror: { kind: 'other', sizeBytes: 8n * MIB, health: '' } });
    expect(Object.keys(volumesIn('raid1'))).toEqual(['mirror']);
  });

  it.each([
    ['a cache', { lv_attr: 'Cwi-aoC---', lv_layout: 'cache', pool_lv: '[fast_cpool]', origin: '[it_corig]' }, 'cached'],
    [
      'a cachevol',
      { lv_attr: 'Cwi-a-C---', lv_layout: 'cache', pool_lv: '[fast_cvol]', origin: '[it_corig]' },
      'cached',
    ],
    ['a writecache', { lv_attr: 'Cwi-aoC---', lv_layout: 'writecache', origin: '[it_wcorig]' }, 'cached'],
    ['a cache and a snapshot of it', { lv_attr: 'owi-aoC---', lv_layout: 'cache', origin: '[it_corig]' }, 'cached'],
    [
      'a cache pool that nothing uses',
      { lv_attr: 'Cwi---C---', lv_layout: 'cache,pool', lv_role: 'private' },
      'cached',
    ],
    ['raid5', { lv_attr: 'rwi-a-r---', lv_layout: 'raid,raid5,raid5_ls' }, 'other'],
    ['raid10 that is reshaped', { lv_attr: 'rwi-aos---', lv_layout: 'raid,raid10,raid10_near' }, 'other'],
    ['a mirror', { lv_attr: 'mwi-aom---', lv_layout: 'mirror', data_percent: '', metadata_percent: '' }, 'other'],
    [
      'a vdo pool',
      { lv_attr: 'dwi-------', lv_layout: 'vdo,pool', lv_role: 'private', data_percent: '37.52' },
      'other',
    ],
    ['a volume in a vdo pool', { lv_attr: 'vwi-aov---', lv_layout: 'vdo,sparse', pool_lv: 'vpool0' }, 'other'],
  ] as const)(
    'tells of a volume with parts of its own, that it is in no thin pool and of no origin: %s',
    (_, row, kind) => {
      const { pool, origin, ...volume } = theOnly({ data_percent: '0.10', metadata_percent: '1.37', ...row });
      expect([pool, origin]).toEqual([undefined, undefined]);
      expect(volume).toMatchObject({ name: 'it', kind, sizeBytes: 8n * MIB, health: '', isLost: false });
    },
  );

  it('tells of disks that are missing, and what lacks them', () => {
    expect(groupIn('missing-disk')).toMatchObject({ missingDisks: 1, obstacles: ['1 of its disks is missing'] });
    expect(volumesIn('missing-disk')).toMatchObject({
      there: { health: '' },
      away: { health: 'partial' },
      mirror: { health: 'partial' },
    });
  });

  it('tells why nothing may be changed in a group', () => {
    expect(groupIn('exported').obstacles).toEqual(['it is exported']);
    const plain = fixture('without-volumes');
    const obstaclesWith = (was: string, is: string) => parseReport(plain.replace(was, is)).groups.get('lab')?.obstacles;
    expect(obstaclesWith('"vg_permissions":"writeable"', '"vg_permissions":"read-only"')).toEqual(['it is read-only']);
    expect(obstaclesWith('"vg_clustered":"0"', '"vg_clustered":"1"')).toHaveLength(1);
    expect(obstaclesWith('"vg_lock_type":""', '"vg_lock_type":"sanlock"')).toEqual([
      'it is shared with other machines (sanlock)',
    ]);
    expect(obstaclesWith('"vg_lock_type":""', '"vg_lock_type":"none"')).toEqual([]);
  });

  it('tells of a group that belongs to another machine, in which LVM itself changes nothing', () => {
    expect([...groupIn('foreign').volumes.keys()]).toEqual(['data']);
  });

  it('lets nothing be changed in groups of the same name, and forgets the volumes of neither', () => {
    const { obstacles, volumes } = groupIn('same-name');
    expect(obstacles).toEqual([expect.stringMatching(/^another one, \w{6}-.*, has the same name$/)]);
    expect([...volumes.keys()].sort()).toEqual(['first', 'second']);
  });

  it('gives back tags with every character that they can have', () => {
    expect(volumesIn('tags').tagged?.tags).toEqual([
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+.-/=!:&#',
      'another',
    ]);
  });

  it('may come with a log, where the host has that configured', () => {
    expect(parseReport('{"report": [], "log": [{"log_seq_num":"1"}]}').groups.size).toBe(0);
  });
});

describe('a report that is not understood', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', 'WARNING: locking_type'],
    ['no report', '{}'],
    ['a report without a list', '{"report": {}}'],
    ['a group without its part of logical volumes', groupWithout('lv')],
    ['logical volumes without a group', groupWithout('vg')],
  ])('is an error, and not a node without volumes: %s', (_, text) => {
    expect(() => parseReport(text)).toThrow('the report of LVM is not understood');
  });

  it.each([
    ['"lv_size":"8388608"', '"lv_size":"8.00m"'],
    ['"lv_size":"8388608", ', ''],
    ['"vg_free":"239075328"', '"vg_free":""'],
    ['"vg_exported":"0"', '"vg_exported":"exported"'],
    ['"lv_attr":"-wi-a-----"', '"lv_attr":"-wi-X-----"'],
    ['"lv_attr":"-wi-a-----"', '"lv_attr":"-wi-a"'],
    ['"lv_kernel_minor":"0"', '"lv_kernel_minor":"x"'],
    ['"lv_name":"data-0"', '"lv_name":"[data-0]"'],
    ['"lv_name":"data-0"', '"lv_name":"striped"'],
    ['"lv_uuid":"', '"lv_uuid":"\\" || lv_name=\\"'],
    ['"lv_tags":"b,holdfast.dev/uid=1"', '"lv_tags":"b; holdfast.dev/uid=1"'],
    ['"data_percent":""', '"data_percent":"unknown"'],
    ['"vg_permissions":"writeable"', '"vg_permissions":"unknown"'],
  ])('is an error as a whole: %s as %s', (was, is) => {
    const text = fixture('plain');
    expect(text).toContain(was);
    expect(() => parseReport(text.replace(was, is))).toThrow('the report of LVM is not understood');
  });

  it('is one that was cut off anywhere', () => {
    const text = fixture('plain').trimEnd();
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), (length) => {
        expect(() => parseReport(text.slice(0, length))).toThrow('the report of LVM is not understood');
      }),
    );
  });
});

describe('the command for it', () => {
  it('asks for every column that is read', () => {
    const columns = new Set(REPORT.argv.flatMap((argument) => argument.split(',')));
    const read = new Set(
      [...fixture('plain').matchAll(/"((?:vg|lv)_\w+|origin\w*|\w+_percent|pool_lv)":/g)].map(([, key]) => key),
    );
    expect([...read].filter((key) => !columns.has(key ?? ''))).toEqual([]);
  });
});

it('every world that was recorded is read without an error', () => {
  const names = readdirSync(FIXTURES);
  expect(names.length).toBeGreaterThan(12);
  for (const name of names) parseReport(readFileSync(new URL(name, FIXTURES), 'utf8'));
});

/** Of a group with one logical volume, which LVM reports so. */
function theOnly(row: Readonly<Record<string, string>>): LogicalVolume {
  const { report } = JSON.parse(fixture('raid1')) as { report: [{ lv: [Record<string, string>] }] };
  report[0].lv = [{ ...report[0].lv[0], lv_name: 'it', ...row }];
  const volume = parseReport(JSON.stringify({ report })).groups.get('lab')?.volumes.get('it');
  return volume ?? expect.unreachable('it is not told');
}

function groupWithout(part: 'vg' | 'lv'): string {
  const { report } = JSON.parse(fixture('plain')) as { report: [Record<string, unknown>] };
  const { [part]: _, ...rest } = report[0];
  return JSON.stringify({ report: [rest] });
}
