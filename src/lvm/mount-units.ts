/**
 * Mounts as units of systemd, which makes them at every boot, before anybody asks: how a unit is called, what stands in it, and what it
 * is for. Pure.
 */

/** What a unit is to mount. */
export interface UnitOf {
  readonly volume: string;
  readonly source: string;
  readonly path: string;
  readonly fsType: string;
  readonly options: readonly string[];
}

export interface MountUnit {
  /** Of its file. */
  readonly name: string;
  readonly text: string;
}

/** One that was found. */
export interface FoundUnit extends MountUnit {
  /** Whether it is started at boot. */
  readonly isEnabled: boolean;
}

export const UNITS = '/etc/systemd/system';
/** Who is in here is started at boot. */
export const WANTED = `${UNITS}/multi-user.target.wants`;
/** Where this is, systemd is process 1. */
export const SYSTEMD = '/run/systemd/system';

const SUFFIX = '.mount';
/** systemd takes no longer ones. */
const LONGEST_NAME = 255;

/** How systemd writes a path in the name of a unit: `systemd-escape --path`. */
export function escapePath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new TypeError(`no unit can be called after ${JSON.stringify(path)}, which leads up`);
  if (parts.length === 0) return '-';
  return [...Buffer.from(parts.join('/'))].map(escapeByte).join('');
}

const STANDS_AS_IT_IS = /[A-Za-z0-9:_.]/;

function escapeByte(byte: number, index: number): string {
  const character = String.fromCharCode(byte);
  if (character === '/') return '-';
  const isHidden = index === 0 && character === '.';
  return STANDS_AS_IT_IS.test(character) && !isHidden ? character : `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** What would end a line of the unit, or be read as something else. */
const CANNOT_STAND = /\p{Cc}/u;

/** Nothing for a path that no unit can be for: a name of a unit has 255 characters, and each hyphen of the path takes four. */
export function unitNameOf(path: string): string | undefined {
  const name = `${escapePath(path)}${SUFFIX}`;
  return name.length > LONGEST_NAME || CANNOT_STAND.test(path) ? undefined : name;
}

export const isMountUnit = (name: string): boolean => name.endsWith(SUFFIX);

const HEADER = '# Made by holdfast lvm';

/**
 * A volume that is not there must not keep a node from booting: nothing requires the unit, and `nofail` takes it out of what a boot waits
 * for before it goes on. The kubelet comes after it, so that no pod gets the bare directory in place of its volume.
 */
export function unitOf({ volume, source, path, fsType, options }: UnitOf): MountUnit | undefined {
  const name = unitNameOf(path);
  if (name === undefined) return undefined;
  const text = `${HEADER}, which writes it anew when it differs, and removes it with the volume.
[Unit]
Description=The volume ${plain(volume)}
Before=kubelet.service

[Mount]
What=${plain(source)}
Where=${plain(path)}
Type=${fsType}
Options=${plain([...options, 'nofail'].join(','))}
TimeoutSec=300

[Install]
WantedBy=multi-user.target
`;
  return { name, text };
}

/** A percent sign would begin a specifier. */
const plain = (text: string): string => text.replaceAll('%', '%%');

export const isOurs = ({ text }: MountUnit): boolean => text.startsWith(HEADER);

/** Whether it mounts one of these there, whoever has written it. */
export function mounts({ text }: MountUnit, sources: readonly string[], path: string): boolean {
  const settings = settingsIn(text);
  const [what, where] = [settings.get('What'), settings.get('Where')];
  return what !== undefined && sources.includes(what) && where?.replace(/(?<=.)\/+$/, '') === path;
}

/** Those of its section [Mount]: of those that are there twice, the last counts. */
function settingsIn(text: string): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  let section = '';
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (/^\[.*\]$/.test(line)) section = line;
    const [, key, value] = /^([A-Za-z]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (section === '[Mount]' && key !== undefined && value !== undefined)
      settings.set(key, value.replaceAll('%%', '%'));
  }
  return settings;
}

/** The names that udev gives the device of a logical volume. In the second one, hyphens of the names are doubled. */
export const devicePathsOf = ({
  group,
  name,
}: {
  readonly group: string;
  readonly name: string;
}): readonly string[] => [
  `/dev/${group}/${name}`,
  `/dev/mapper/${group.replaceAll('-', '--')}-${name.replaceAll('-', '--')}`,
];
