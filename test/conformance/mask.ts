/**
 * Takes out of what a server answered what no two servers have in common: uids, versions, the time, and what is drawn by lot. What is
 * the same stays the same: the first uid of a case becomes `<uid 1>` wherever it stands, so a case still shows which object is meant,
 * and whether a write made a new version of it.
 */
import type { Exchange } from './play.ts';

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const SIGNED = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const A_DAY_MS = 86_400_000;
/** Numbers in sentences that are versions. */
const VERSIONS: readonly RegExp[] = [
  /(?<=the ResourceVersion in record \()\d+/g,
  /(?<=Too large resource version: \d+, current: )\d+/g,
  /(?<=too old resource version: \d+ \()\d+/g,
];
/** What a type is called that has no name of its own: there is a number in it. */
const SELF_TYPE = /selfType\d+/g;
/** A whole object in a sentence, which has its versions and times in it. */
const OBJECT = /(?<=Invalid value: )"\{(?:[^"\\]|\\.)*"/g;

/** What docs/sandbox.md says is different, by the field that it is in and one that stands beside it. */
const DIFFERENT: readonly { readonly field: string; readonly beside: string }[] = [
  { field: 'description', beside: 'priority' },
  { field: 'serverAddress', beside: 'clientCIDR' },
  { field: 'storageVersionHash', beside: 'singularName' },
];

/** Lists that a server gives in any order, or in one that depends on in which second it was asked. */
const UNORDERED: readonly string[] = ['resourceRules', 'nonResourceRules', 'managedFields'];

const isDifferent = (key: string, inside: Fields): boolean =>
  DIFFERENT.some(({ field, beside }) => field === key && beside in inside);

type Fields = Readonly<Record<string, unknown>>;

/** `beginnings` are those of names that the server was asked to make up. */
export function masked(exchanges: readonly Exchange[], beginnings: readonly string[] = []): readonly Exchange[] {
  const mask = new Mask(beginnings);
  return exchanges.map((exchange) => mask.value(exchange) as Exchange);
}

class Mask {
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #madeUp: readonly RegExp[];

  constructor(beginnings: readonly string[]) {
    this.#madeUp = beginnings.map(
      (beginning) => new RegExp(`(?<=${RegExp.escape(beginning)})[b-z2-9]{5}(?![a-z0-9])`, 'g'),
    );
  }

  value(value: unknown, field = '', inside: Fields = {}): unknown {
    if (typeof value === 'string') return this.#text(value, field, inside);
    if (Array.isArray(value)) return this.#list(value, field, inside);
    if (typeof value !== 'object' || value === null) return value;
    const fields = value as Fields;
    return Object.fromEntries(
      Object.entries(fields)
        .filter(([key]) => !isDifferent(key, fields))
        .map(([key, each]) => [this.#words(key), this.value(each, key, fields)]),
    );
  }

  #list(list: readonly unknown[], field: string, inside: Fields): readonly unknown[] {
    const each = list.map((one) => this.value(one, field, inside));
    const textOf = (one: unknown) => JSON.stringify(one, (_, value) => (isMap(value) ? sorted(value) : value));
    return UNORDERED.includes(field) ? each.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) : each;
  }

  #text(text: string, field: string, inside: Fields): string {
    if (field === 'resourceVersion' && /^[1-9]\d*$/.test(text))
      return 'uid' in inside ? this.#version(text) : '<version>';
    if (field === 'continue' && text !== '') return '<token>';
    if (field === 'cells' && /^(\d+[hms])+$/.test(text)) return '<age>';
    return this.#words(text);
  }

  #words(text: string): string {
    const plain = text
      .replace(OBJECT, '<object>')
      .replace(SELF_TYPE, '<type>')
      .replace(UID, (uid) => numbered(this.#uids, uid, 'uid'))
      .replace(SIGNED, '<token>')
      .replace(TIME, near);
    const known = VERSIONS.reduce((words, pattern) => words.replace(pattern, '<version>'), plain);
    return this.#madeUp.reduce((words, pattern) => words.replace(pattern, '<5 letters>'), known);
  }

  #version(text: string): string {
    return numbered(this.#versions, text, 'version');
  }
}

const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

const sorted = (map: Fields): Fields => Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));

function numbered(seen: Map<string, string>, value: string, noun: string): string {
  const known = seen.get(value) ?? `<${noun} ${seen.size + 1}>`;
  seen.set(value, known);
  return known;
}

/** A time that a case names is long ago: what is of today was said by the server. */
function near(text: string, fraction = ''): string {
  if (Math.abs(Date.parse(text) - Date.now()) > A_DAY_MS) return text;
  return fraction ? `<now, ${fraction.length - 1} digits after the point>` : '<now>';
}
