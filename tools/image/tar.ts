/** Writes tar archives that are the same whenever the same is written: order, times, owners and modes are those that it is given. */

interface Common {
  /** Without a slash in front. */
  readonly path: string;
  readonly mode: number;
  /** Seconds since 1970. */
  readonly mtime: number;
}

export type Entry = Common &
  (
    | { readonly type: 'file'; readonly size: number; readonly content: () => AsyncIterable<Uint8Array> }
    | { readonly type: 'directory' }
    /** Another name of a file that comes before it. */
    | { readonly type: 'hardlink'; readonly target: string }
    | { readonly type: 'symlink'; readonly target: string }
  );

const BLOCK = 512;
const TYPE_FLAGS = { file: '0', hardlink: '1', symlink: '2', directory: '5' } as const;
const EXTENDED = 'x';
/** What the fields of a header have room for, in bytes. */
const ROOM = { name: 100, link: 100, prefix: 155 };

/** Everything belongs to root. */
export async function* tar(entries: Iterable<Entry>): AsyncGenerator<Uint8Array, void> {
  for (const entry of entries) {
    yield* headersOf(entry);
    if (entry.type === 'file') yield* contentOf(entry);
  }
  yield Buffer.alloc(2 * BLOCK);
}

async function* contentOf({
  path,
  size,
  content,
}: Entry & { readonly type: 'file' }): AsyncGenerator<Uint8Array, void> {
  let written = 0;
  for await (const chunk of content()) {
    written += chunk.length;
    yield chunk;
  }
  if (written !== size) throw new Error(`${path} has ${written} bytes, and ${size} were announced`);
  yield padding(size);
}

const padding = (size: number): Uint8Array => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

function* headersOf(entry: Entry): Generator<Uint8Array, void> {
  const path = entry.type === 'directory' ? `${entry.path}/` : entry.path;
  const target = 'target' in entry ? entry.target : '';
  const place = placeOf(path);
  const long = {
    ...(place === undefined && { path }),
    ...(Buffer.byteLength(target) > ROOM.link && { linkpath: target }),
  };
  const records = Buffer.from(Object.entries(long).map(recordOf).join(''));
  if (records.length > 0) {
    yield header({ ...entry, name: 'pax', prefix: '', link: '', size: records.length, flag: EXTENDED });
    yield records;
    yield padding(records.length);
  }
  const { name, prefix } = place ?? { name: cut(path, ROOM.name), prefix: '' };
  const size = entry.type === 'file' ? entry.size : 0;
  yield header({ ...entry, name, prefix, link: cut(target, ROOM.link), size, flag: TYPE_FLAGS[entry.type] });
}

/** Undefined where a plain header has no room for it. */
function placeOf(path: string): { readonly name: string; readonly prefix: string } | undefined {
  if (Buffer.byteLength(path) <= ROOM.name) return { name: path, prefix: '' };
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
    const fits = Buffer.byteLength(prefix) <= ROOM.prefix && Buffer.byteLength(name) <= ROOM.name;
    if (fits && name !== '') return { name, prefix };
  }
  return undefined;
}

/** A line that begins with its own length, which counts itself. */
function recordOf([key, value]: readonly [string, string]): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  const digits = String(bytes + String(bytes).length).length;
  return `${bytes + digits}${rest}`;
}

/** For readers who do not know of the extended header, which has it whole. */
const cut = (text: string, bytes: number): string => text.replace(/[^ -~]/g, '_').slice(0, bytes);

interface Header {
  readonly name: string;
  readonly prefix: string;
  readonly link: string;
  readonly mode: number;
  readonly mtime: number;
  readonly size: number;
  readonly flag: string;
}

function header({ name, prefix, link, mode, mtime, size, flag }: Header): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  const text = (offset: number, value: string) => block.write(value, offset, Buffer.byteLength(value), 'utf8');
  const octal = (offset: number, digits: number, value: number) =>
    text(offset, value.toString(8).padStart(digits, '0'));
  text(0, name);
  octal(100, 7, mode);
  octal(108, 7, 0);
  octal(116, 7, 0);
  octal(124, 11, size);
  octal(136, 11, mtime);
  text(148, ' '.repeat(8));
  text(156, flag);
  text(157, link);
  text(257, 'ustar\x0000');
  text(345, prefix);
  const sum = block.reduce((total, byte) => total + byte, 0);
  octal(148, 6, sum);
  block[154] = 0;
  return block;
}
