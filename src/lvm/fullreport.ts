/** How LVM is asked for all that it knows of the node, in one command, and what its answer says. What is not understood is an error. */
import * as z from 'zod';
import { type DeviceNumber, parseDeviceNumber } from '../kit/host/device-number.ts';
import type { Command } from './commands.ts';
import type { LogicalVolume, Lvm, VolumeGroup } from './facts.ts';

const VG_COLUMNS = [
  'vg_name',
  'vg_uuid',
  'vg_size',
  'vg_free',
  'vg_extent_size',
  'vg_missing_pv_count',
  'vg_exported',
  'vg_permissions',
  'vg_clustered',
  'vg_lock_type',
];
const LV_COLUMNS = [
  'lv_name',
  'lv_uuid',
  'lv_attr',
  'lv_layout',
  'lv_role',
  'lv_size',
  'origin_size',
  'lv_tags',
  'lv_kernel_major',
  'lv_kernel_minor',
  'pool_lv',
  'origin',
  'data_percent',
  'metadata_percent',
  'lv_health_status',
];
/** These parts cannot be left out. What is selected of them does not exist. */
const NOTHING_OF_THE_REST = [
  ['--configreport', 'pv', '--options', 'pv_uuid', '--select', 'pv_uuid=none'],
  ['--configreport', 'pvseg', '--options', 'pvseg_start', '--select', 'pvseg_size=0'],
  ['--configreport', 'seg', '--options', 'segtype', '--select', 'segtype=none'],
].flat();

/**
 * Also of groups that belong to another machine or are shared with some: LVM would leave them out without a word in the report, and
 * they would seem to be gone. `--binary` and the rest do not leave to the host's configuration how things are spelled.
 */
export const REPORT: Command = {
  argv: [
    ...['lvm', 'fullreport', '--reportformat', 'json', '--units', 'b', '--nosuffix', '--binary'],
    ...['--foreign', '--shared'],
    ...['--configreport', 'vg', '--options', VG_COLUMNS.join(',')],
    ...['--configreport', 'lv', '--options', LV_COLUMNS.join(',')],
    ...NOTHING_OF_THE_REST,
  ],
  options: { timeoutMs: 60_000, maxOutputBytes: 64 * 2 ** 20 },
};

/** Throws for what it does not understand: half an answer must not be taken for all there is. */
export function parseReport(json: string): Lvm {
  const groups = new Map<string, VolumeGroup>();
  for (const { vg = [], lv = [] } of readReport(json).report) {
    const [group, ...others] = vg;
    if (others.length > 0) throw notUnderstood('two volume groups are told as one');
    if (group) addTo(groups, groupOf(group, lv));
    else if (lv.length > 0) throw notUnderstood('there are logical volumes without a volume group');
  }
  return { groups };
}

function readReport(json: string): z.infer<typeof ANSWER> {
  try {
    const { data, error } = ANSWER.safeParse(JSON.parse(json));
    if (data) return data;
    const [issue] = error.issues;
    throw notUnderstood(`${issue?.path.join('.')}: ${issue?.message}`);
  } catch (error) {
    throw error instanceof SyntaxError ? notUnderstood(error.message) : error;
  }
}

const notUnderstood = (why: string): Error => new Error(`the report of LVM is not understood: ${why}`);

const UUID = z.string().regex(/^[A-Za-z0-9]{6}(-[A-Za-z0-9]{4}){5}-[A-Za-z0-9]{6}$/);
const NAME = z.string().regex(/^[A-Za-z0-9+_.-]+$/);
const BYTES = z
  .string()
  .regex(/^\d+$/)
  .transform((text) => BigInt(text));
const COUNT = z.string().regex(/^\d+$/).transform(Number);
const YES_OR_NO = z.enum(['0', '1']).transform((text) => text === '1');
const LIST = z.string().transform((text) => text.split(',').filter((part) => part !== ''));
const TAGS = LIST.pipe(z.array(z.string().regex(/^[A-Za-z0-9_+./=!:&#-]+$/)));
const ORDINAL = z
  .string()
  .regex(/^(-1|\d+)$/)
  .transform(Number);
const PERCENT = z
  .string()
  .regex(/^(\d+\.\d+)?$/)
  .transform((text) => (text === '' ? undefined : Number(text)));
/** In brackets LVM names what it hides, the parts of a cache among it: that is no volume that anything is a snapshot of. */
const HIDDEN = z.string().regex(/^\[[A-Za-z0-9+_.-]+\]$/);
const OPTIONAL_NAME = z.union([NAME, HIDDEN.transform(() => ''), z.literal('')]).transform((name) => name || undefined);

const GROUP = z.object({
  vg_name: NAME,
  vg_uuid: UUID,
  vg_size: BYTES,
  vg_free: BYTES,
  vg_extent_size: BYTES,
  vg_missing_pv_count: COUNT,
  vg_exported: YES_OR_NO,
  vg_permissions: z.enum(['writeable', 'read-only']),
  vg_clustered: YES_OR_NO,
  vg_lock_type: z.string(),
});

/** Ten characters, of which lvs(8) tells the meaning. */
const ATTRIBUTES = z.string().regex(/^.[wrR]..[^X].{5,}$/);

const VOLUME = z.object({
  lv_name: NAME,
  lv_uuid: UUID,
  lv_attr: ATTRIBUTES,
  lv_layout: LIST,
  lv_role: LIST,
  lv_size: BYTES,
  origin_size: z.union([BYTES, z.literal('')]),
  lv_tags: TAGS,
  lv_kernel_major: ORDINAL,
  lv_kernel_minor: ORDINAL,
  pool_lv: OPTIONAL_NAME,
  origin: OPTIONAL_NAME,
  data_percent: PERCENT,
  metadata_percent: PERCENT,
  lv_health_status: z.string(),
});

/** Disks that belong to no group are told last, without these two parts. */
const ENTRY = z
  .object({ vg: z.array(GROUP).optional(), lv: z.array(VOLUME).optional() })
  .refine(({ vg, lv }) => (vg === undefined) === (lv === undefined), 'a part is missing');

/** Beside `report` there can be a log, and beside these parts others. */
const ANSWER = z.object({ report: z.array(ENTRY) });

type ReportedGroup = z.infer<typeof GROUP>;
type ReportedVolume = z.infer<typeof VOLUME>;

/** LVM changes nothing in groups that it cannot tell apart, so it does not matter which of them is kept. */
function addTo(groups: Map<string, VolumeGroup>, group: VolumeGroup): void {
  const other = groups.get(group.name);
  if (!other) return void groups.set(group.name, group);
  groups.set(group.name, {
    ...other,
    obstacles: [...other.obstacles, `another one, ${group.uuid}, has the same name`],
    volumes: new Map([...other.volumes, ...group.volumes]),
  });
}

function groupOf(vg: ReportedGroup, lvs: readonly ReportedVolume[]): VolumeGroup {
  const volumes = new Map(lvs.map((lv) => [lv.lv_name, volumeOf(lv, vg.vg_name)]));
  if (volumes.size < lvs.length) throw notUnderstood(`two logical volumes of ${vg.vg_name} have the same name`);
  return {
    name: vg.vg_name,
    uuid: vg.vg_uuid,
    sizeBytes: vg.vg_size,
    freeBytes: vg.vg_free,
    extentBytes: vg.vg_extent_size,
    missingDisks: vg.vg_missing_pv_count,
    obstacles: obstaclesOf(vg),
    volumes,
  };
}

function obstaclesOf(vg: ReportedGroup): readonly string[] {
  const { vg_missing_pv_count: missing, vg_lock_type: lock } = vg;
  return [
    ...(vg.vg_exported ? ['it is exported'] : []),
    ...(missing > 0 ? [`${missing} of its disks ${missing === 1 ? 'is' : 'are'} missing`] : []),
    ...(vg.vg_permissions === 'read-only' ? ['it is read-only'] : []),
    ...(vg.vg_clustered ? ['it is shared by a cluster of machines'] : []),
    ...(lock !== '' && lock !== 'none' ? [`it is shared with other machines (${lock})`] : []),
  ];
}

function volumeOf(lv: ReportedVolume, group: string): LogicalVolume {
  const kind = kindOf(lv);
  const device = deviceOf(lv);
  return {
    name: lv.lv_name,
    group,
    uuid: lv.lv_uuid,
    kind,
    sizeBytes: sizeOf(lv),
    tags: lv.lv_tags,
    isActive: device !== undefined,
    isSuspended: lv.lv_attr[4] === 's',
    isLost: ['I', 'S'].includes(lv.lv_attr[4] ?? ''),
    device,
    isReadOnly: lv.lv_attr[1] !== 'w',
    pool: isThinOf(lv) ? lv.pool_lv : undefined, // pools of other kinds, such as vdo, promise something else
    origin: lv.origin,
    dataPercent: lv.data_percent,
    metadataPercent: lv.metadata_percent,
    health: healthOf(lv),
  };
}

/** The seventh of the attributes. The layout has a word for some kinds of caches only. */
const CACHED = 'C';

const isThinOf = ({ lv_layout: layout }: ReportedVolume): boolean => layout.includes('thin');

function kindOf(lv: ReportedVolume): LogicalVolume['kind'] {
  const { lv_attr: attributes, lv_layout: layout, lv_role: role } = lv;
  const isThin = isThinOf(lv);
  if (isThin && layout.includes('pool')) return 'thin-pool';
  if (role.includes('snapshot')) return 'snapshot';
  if (isThin) return 'thin';
  if (attributes[6] === CACHED) return 'cached';
  return layout.length === 1 && ['linear', 'striped'].includes(layout[0] ?? '') ? 'plain' : 'other';
}

/** Of a classic snapshot LVM tells how much may change before it is lost. Its device is as large as that of its origin. */
function sizeOf({ lv_role: role, lv_size: size, origin_size: origin }: ReportedVolume): bigint {
  return role.includes('thicksnapshot') && origin !== '' ? origin : size;
}

function deviceOf({ lv_kernel_major: major, lv_kernel_minor: minor }: ReportedVolume): DeviceNumber | undefined {
  return parseDeviceNumber(`${major}:${minor}`);
}

/** By the fifth of the attributes, as lvs(8) has them. */
const ILL_STATES: Readonly<Record<string, string>> = {
  h: 'it is no longer there',
  s: 'suspended',
  I: 'the snapshot is invalid',
  S: 'the snapshot is invalid, and suspended',
  m: 'the merge of the snapshot has failed',
  M: 'the merge of the snapshot has failed, and it is suspended',
  d: 'its device has no table',
  i: 'its device has an inactive table',
  c: 'the thin pool has to be checked',
  C: 'the thin pool has to be checked, and is suspended',
};

function healthOf({ lv_attr: attributes, lv_health_status: status }: ReportedVolume): string {
  const ill = ILL_STATES[attributes[4] ?? ''];
  return [status, ...(ill === undefined ? [] : [ill])].filter((part) => part !== '').join(', ');
}
