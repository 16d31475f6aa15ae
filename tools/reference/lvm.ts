/** The tables of the lvm job: its options, what mkfs and mount may be told, and why nothing is done for a volume. */
import {
  BUILT_IN_DEFAULTS,
  FILE_SYSTEMS,
  OPTION_KEYS,
  type OptionKey,
  REMOVE_POLICIES,
  SHRED_METHODS,
} from '../../src/lvm/contract.ts';
import { ALLOWED, type Allowed, type FileSystemOptions } from '../../src/lvm/options/allowed.ts';
import { NO_DEFAULT, SETTLED } from '../../src/lvm/options/said.ts';
import { inWords } from '../../src/lvm/options/values.ts';
import { FACTS, type Fact, refusal } from '../../src/lvm/reasons.ts';
import { code, table } from './table.ts';

const MEANINGS: Readonly<Record<OptionKey, string>> = {
  fsType: `its filesystem: ${codes(FILE_SYSTEMS)}`,
  mountOpts: 'how it is mounted, a list with commas: [what may stand in it](lvm-options.md#mountopts)',
  vg: 'the volume group that it is made in',
  fsOpts: 'what else mkfs is told, with spaces: [what may stand in it](lvm-options.md#fsopts)',
  cryptSecret:
    'the Secret with its key, `namespace/name` or `name` in the namespace of the agent: then it is [encrypted](#encryption)',
  autoRelease:
    'with `true`, and an agent with `--release`: it can be claimed again when its claim is gone, with what is on it',
  thinPool: 'the [thin pool](#thin-pools) that it is made in',
  thinPoolSize: 'how large the pool is made when it is not there',
  shred: `what becomes of the bytes when it is [removed](#removal): ${codes(SHRED_METHODS)}`,
  removePolicy: `what becomes of the logical volume when it is [removed](#removal): ${codes(REMOVE_POLICIES)}`,
  snapshotOf: 'the volume of the same group that it is a read-only [snapshot](#snapshots) of',
};

function codes(values: readonly string[]): string {
  return values.map(code).join(', ');
}

/** What holds when neither the volume nor the ConfigMap says anything. */
const DEFAULTS: Readonly<Partial<Record<OptionKey, string>>> = {
  ...BUILT_IN_DEFAULTS,
  autoRelease: 'false',
  shred: 'none',
  removePolicy: 'delete',
};

export const optionTable = (): string =>
  table(
    ['annotation', 'default', 'what', 'afterwards'],
    OPTION_KEYS.map((key) => [code(key), DEFAULTS[key] ? code(DEFAULTS[key]) : '', MEANINGS[key], afterwards(key)]),
  );

const afterwards = (key: OptionKey): string =>
  SETTLED.includes(key) || NO_DEFAULT.includes(key) ? 'stays as it was made' : 'can be changed';

interface Row {
  readonly spelling: string;
  readonly value: string;
  readonly what: string;
}

export const fsOptsTable = (): string => allowedTable('mkfs');
export const mountOptsTable = (): string => allowedTable('mount');

/** One row for what is the same for several filesystems. */
function allowedTable(of: 'mkfs' | 'mount'): string {
  const rows = FILE_SYSTEMS.flatMap((fsType) =>
    ALLOWED[fsType][of].flatMap((allowed) => rowsOf(allowed)).map((row) => ({ fsType, row })),
  );
  const alike = Map.groupBy(rows, ({ row }) => JSON.stringify(row));
  return table(
    ['option', 'value', 'what', 'of'],
    [...alike.values()].map(([first, ...others]) => {
      const { spelling, value, what } = first?.row ?? { spelling: '', value: '', what: '' };
      return [spelling, value, what, [first, ...others].map((each) => each?.fsType).join(', ')];
    }),
  );
}

/** The settings of an option are rows of their own. */
function rowsOf({ name, aliases = [], value, what, isBareToo }: Allowed, of = ''): readonly Row[] {
  if (value.is === 'settings') return value.settings.flatMap((setting) => rowsOf(setting, `${name} `));
  const spelling = [name, ...aliases].map((each) => code(`${of}${each}`)).join(', ');
  const words = value.is === 'none' ? '' : `${inWords(value).replaceAll('|', '\\|')}${isBareToo ? ', or none' : ''}`;
  return [{ spelling, value: words, what }];
}

export function notAllowedTable(of: keyof FileSystemOptions & `${string}Refused`): string {
  const rows = FILE_SYSTEMS.flatMap((fsType) => ALLOWED[fsType][of].map((refused) => ({ fsType, refused })));
  const alike = Map.groupBy(rows, ({ refused }) => JSON.stringify(refused));
  return table(
    ['not allowed', 'because it', 'of'],
    [...alike.values()].map((same) => [
      codes(same[0]?.refused.names ?? []),
      same[0]?.refused.why ?? '',
      same.map(({ fsType }) => fsType).join(', '),
    ]),
  );
}

const LV = 'fast/data';
const GIB = 2n ** 30n;

/** One for each fact that there is: the table cannot be made without. */
const EXAMPLES: { readonly [F in Fact]?: Parameters<typeof refusal<F>>[1] } & Readonly<Record<string, object>> = {
  groupIsMissing: { vg: 'fast' },
  groupIsAway: { vg: 'fast' },
  groupHasLostDisks: { vg: 'fast', disks: 1 },
  groupCannotBeChanged: { vg: 'fast', why: 'it is exported' },
  groupIsFull: { vg: 'fast', wanted: 10n * GIB, free: 2n * GIB },
  poolIsMissing: { lv: 'fast/pool' },
  poolIsNone: { lv: 'fast/pool' },
  poolIsFull: { lv: 'fast/pool', what: 'data', percent: 92 },
  poolIsPromised: { lv: 'fast/pool', promised: 1100n * GIB, most: 1000n * GIB },
  originIsMissing: { lv: LV },
  originIsForeign: { lv: LV },
  originIsNotReady: { lv: LV },
  originIsDifferent: { lv: LV, what: 'fsType', was: 'xfs' },
  logicalVolumeIsForeign: { lv: LV, why: 'it is not mounted at /mnt/pv/data' },
  logicalVolumeIsOfAnother: { lv: LV, pv: 'data', uid: '6c2a1a0e', uuid: 'Y3Rj1E' },
  logicalVolumeIsElsewhere: { lv: 'slow/data', vg: 'fast' },
  logicalVolumeIsTwice: { lv: LV, other: 'fast/copy' },
  logicalVolumeIsGone: { vg: 'fast', lv: 'data' },
  logicalVolumeIsUnwell: { lv: LV, why: 'partial' },
  cannotBeChanged: { lv: LV, what: 'fsType', was: 'ext4', wanted: 'xfs' },
  mappingIsAnother: { lv: LV, mapping: 'holdfast-6c2a1a0e' },
  signatureIsForeign: { lv: LV, signature: 'xfs', fsType: 'ext4' },
  filesystemIsDamaged: { lv: LV, fsType: 'ext4' },
  somethingElseIsMounted: { path: '/mnt/pv/data', source: '/dev/sdb1' },
  mountBaseIsCovered: { path: '/mnt/pv', source: '/dev/sdb1' },
  mountPointIsNotEmpty: { path: '/mnt/pv/data', name: 'notes.txt' },
  isInUseElsewhere: { lv: LV, path: '/srv' },
  hadData: { lv: LV },
  isOnAnotherNode: { node: 'worker-7' },
  hasSnapshots: { lv: LV, snapshot: 'fast/data-monday' },
  hasSnapshotInTrash: { lv: 'fast/data', snapshot: 'fast/trash+data-monday+6c2a1a0e' },
  snapshotIsLost: { lv: 'fast/data-monday' },
  marksContradict: { lv: LV },
  unitIsForeign: { unit: 'mnt-pv-data.mount', path: '/mnt/pv/data' },
  removalIsUnclear: { lv: LV, why: 'removePolicy cannot be "Trash": it is one of delete, trash' },
  snapshotCannotBeShredded: { lv: 'fast/data-monday' },
  cacheKeepsBytes: { lv: LV },
  discardDoesNotReachDisk: { pool: 'fast/pool' },
  logicalVolumeIsShredded: { lv: LV },
  adoptedIsMissing: { uuid: 'Y3Rj1E', vg: 'fast' },
  adoptedIsForeign: { lv: LV },
};

function exampleOf<F extends Fact>(fact: F): { readonly message: string; readonly remedy: string } {
  const details = EXAMPLES[fact] as Parameters<typeof refusal<F>>[1] | undefined;
  if (!details) throw new Error(`tools/reference/lvm.ts has no example of ${fact}`);
  return refusal(fact, details);
}

export const refusalTable = (): string =>
  table(
    ['fact', 'for example', 'what to do'],
    FACTS.map((fact) => {
      const { message, remedy } = exampleOf(fact);
      return [code(fact), message.replaceAll('|', '\\|'), remedy.replaceAll('|', '\\|')];
    }),
  );
