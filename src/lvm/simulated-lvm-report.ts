/** For tests: what LVM says of its volumes, as JSON and where a selection asks for it. */
import type { Content, Mapped } from './simulated-devices.ts';
import { EXTENT, freeIn, isOrigin, never, type SimulatedGroup, type SimulatedVolume } from './simulated-volumes.ts';

export function reportOf(groups: Iterable<SimulatedGroup>, isOpen: (mapped: Mapped) => boolean): object {
  const report = [...groups].map((group) => ({
    vg: [
      {
        vg_name: group.name,
        vg_uuid: group.uuid,
        vg_size: `${group.extents * EXTENT}`,
        vg_free: `${freeIn(group) * EXTENT}`,
        vg_extent_size: `${EXTENT}`,
        vg_missing_pv_count: '0',
        vg_exported: '0',
        vg_permissions: 'writeable',
        vg_clustered: '0',
        vg_lock_type: '',
      },
    ],
    pv: [],
    lv: [...group.volumes.values()].map((volume) => reported(volume, isOpen)),
    pvseg: [],
    seg: [],
  }));
  return { report };
}

function reported(volume: SimulatedVolume, isOpen: (mapped: Mapped) => boolean): object {
  const { name, uuid, extents, tags, mapped, kind, pool, origin, isReadOnly, isCached } = volume;
  const [major = '-1', minor = '-1'] = mapped?.number.split(':') ?? [];
  const isFull = kind === 'thin-pool' || kind === 'snapshot';
  const classic = isOrigin(volume);
  const [type, ...rest] = ATTRIBUTES[isCached ? 'cached' : kind];
  return {
    lv_name: name,
    lv_uuid: uuid,
    lv_attr: [
      type,
      isReadOnly ? 'r' : 'w',
      'i-',
      mapped ? 'a' : '-',
      mapped && isOpen(mapped) ? 'o' : '-',
      ...rest,
    ].join(''),
    lv_layout: layoutOf(volume),
    lv_role: roleOf(volume, classic),
    lv_size: `${extents * EXTENT}`,
    origin_size: classic ? `${extents * EXTENT}` : '',
    lv_tags: [...tags].sort().join(','),
    lv_kernel_major: major,
    lv_kernel_minor: minor,
    pool_lv: pool ?? '',
    origin: origin ?? '',
    data_percent: mapped && isFull ? filled(volume).toFixed(2) : '',
    metadata_percent: mapped && kind === 'thin-pool' ? mappedShare(volume).toFixed(2) : '',
    lv_health_status: '',
    ...(isCached && {
      pool_lv: '[fast_cvol]',
      origin: `[${name}_corig]`,
      data_percent: '0.10',
      metadata_percent: '1.37',
    }),
  };
}

/** How much of a pool its volumes have written to, in percent: what is only promised takes nothing. */
function filled(pool: SimulatedVolume): number {
  return Math.min(100, (100 * writtenIn(pool)) / Number(pool.extents * EXTENT));
}

/** Each chunk that is written to is entered in the extent of metadata, which is never empty. */
function mappedShare(pool: SimulatedVolume): number {
  const entries = (writtenIn(pool) / CHUNK_BYTES) * ENTRY_BYTES;
  return Math.min(100, EMPTY_METADATA_PERCENT + (100 * entries) / Number(EXTENT));
}

function writtenIn({ kind, name, group }: SimulatedVolume): number {
  if (kind !== 'thin-pool') return 0;
  const volumes = [...group.volumes.values()].filter(({ pool }) => pool === name);
  return volumes.reduce((sum, { extents, content }) => sum + Math.min(Number(extents * EXTENT), written(content)), 0);
}

const CHUNK_BYTES = 64 * 2 ** 10;
const ENTRY_BYTES = 64;
const EMPTY_METADATA_PERCENT = 10.94;
/** What mkfs writes. */
const FORMAT_BYTES = 8 * CHUNK_BYTES;

function written({ signature, data = '', inside }: Content): number {
  return (signature === undefined ? 0 : FORMAT_BYTES) + data.length + (inside ? written(inside) : 0);
}

const ATTRIBUTES: Readonly<Record<SimulatedVolume['kind'] | 'cached', string>> = {
  plain: '-----',
  thin: 'Vtz--',
  'thin-pool': 'ttz--',
  snapshot: 'ss---',
  cached: 'CC---',
};
const LAYOUTS: Readonly<Record<SimulatedVolume['kind'], string>> = {
  plain: 'linear',
  thin: 'thin,sparse',
  'thin-pool': 'thin,pool',
  snapshot: 'linear',
};

function layoutOf({ kind, pool, isCached }: SimulatedVolume): string {
  if (isCached) return 'cache';
  return LAYOUTS[kind === 'snapshot' && pool !== undefined ? 'thin' : kind];
}

function roleOf({ kind, pool }: SimulatedVolume, isOrigin: boolean): string {
  if (kind === 'thin-pool') return 'private';
  if (kind === 'snapshot') return pool === undefined ? 'public,snapshot,thicksnapshot' : 'public,snapshot,thinsnapshot';
  return isOrigin ? 'public,origin,thickorigin' : 'public';
}

/** Of what can be selected by, as much as the job uses. */
export function selected(expression: string): (volume: SimulatedVolume) => boolean {
  const ways = expression.split(' || ').map((way) => way.replace(/^\(|\)$/g, '').split(' && '));
  return (volume) => ways.some((way) => way.every((term) => holds(term, volume)));
}

function holds(term: string, volume: SimulatedVolume): boolean {
  const [, field = '', not, value = ''] = /^(\w+)(!?)="?([^"]*)"?$/.exec(term) ?? never(`${term} is no condition`);
  const isOrigin = [...volume.group.volumes.values()].some(({ origin, pool }) => !pool && origin === volume.name);
  const values: Readonly<Record<string, readonly string[]>> = {
    lv_name: [volume.name],
    lv_uuid: [volume.uuid],
    lv_role: roleOf(volume, isOrigin).split(','),
    lv_layout: layoutOf(volume).split(','),
  };
  const found = values[field] ?? never(`${field} is no field`);
  return found.includes(value) !== (not === '!');
}
