/** Whether a value is of the kind that the table of what is allowed asks for, and how people are told what it asks for. */
import { type Allowed, LABEL_START, type Refused, type Value } from './allowed.ts';
import { listed, shown } from './shown.ts';

/** What is wrong with it, and what is allowed: half a sentence. */
export type Fault = string | undefined;

/** Where a value stands, to find out whether there is a reason to refuse it: `-O` of mkfs, `-J.size`, `data` of mount. */
export interface Place {
  readonly name: string;
  readonly refused: readonly Refused[];
}

const WHOLE = /^(0|[1-9]\d{0,14})$/;
const DECIMAL = /^(0|[1-9]\d{0,14})(\.\d{1,6})?$/;
const SIZE = /^[1-9]\d{0,14}([a-z]?)$/i;
const OWNER = /^(0|[1-9]\d{0,9}):(0|[1-9]\d{0,9})$/;
const LABEL = /^[A-Za-z0-9_.-]+$/;
const LARGEST_ID = 2 ** 32 - 2;

export function valueFault(value: Value, text: string, place: Place): Fault {
  if (value.is === 'features') return featuresFault(value, text, place);
  if (value.is === 'settings') return settingsFault(value, text, place);
  if (isSimple(value, text)) return undefined;
  const why = whyRefused(place.refused, `${place.name}=${text}`);
  return `${why === undefined ? '' : `it ${why}; `}${place.name} takes ${inWords(value)}`;
}

type Features = Extract<Value, { is: 'features' }>;
type Settings = Extract<Value, { is: 'settings' }>;
type SimpleValue = Exclude<Value, Features | Settings>;

function isSimple(value: SimpleValue, text: string): boolean {
  switch (value.is) {
    case 'none':
      return false;
    case 'number':
      return (value.hasDecimals ? DECIMAL : WHOLE).test(text) && isBetween(Number(text), value.from, value.to);
    case 'size':
      return value.suffixes.includes(SIZE.exec(text)?.[1]?.toLowerCase() ?? '?');
    case 'word':
      return value.words.includes(text);
    case 'levelled':
      return isLevelled(value.highest, text);
    case 'label':
      return text.startsWith(LABEL_START) && LABEL.test(text) && text.length <= value.longest;
    case 'owner':
      return OWNER.test(text) && text.split(':').every((id) => isBetween(Number(id), 0, LARGEST_ID));
  }
}

const isBetween = (value: number, from: number, to: number): boolean => value >= from && value <= to;

function isLevelled(highest: Readonly<Record<string, number>>, text: string): boolean {
  const [word = '', level, ...others] = text.split(':');
  if (!Object.hasOwn(highest, word) || others.length > 0) return false;
  return level === undefined || (WHOLE.test(level) && isBetween(Number(level), 1, highest[word] ?? 0));
}

function featuresFault(value: Features, text: string, place: Place): Fault {
  const names = text.split(',');
  const wrong = names.filter((name) => !isFeature(value, name));
  if (wrong.length > 0) return strangersFault(value, wrong, '=', place);
  const twice = repeated(names.map((name) => name.replace('^', '')));
  return twice === undefined ? undefined : `${shown(twice)} is there twice`;
}

/** In one sentence, since what is allowed is a long list. */
function strangersFault(value: Value, strangers: readonly string[], sign: '.' | '=', { name, refused }: Place): string {
  const reasons = strangers.map((each) => `${shown(each)} ${whyRefused(refused, name + sign + each) ?? 'is unknown'}`);
  return `${listed(reasons)}; ${name} takes ${inWords(value)}`;
}

const isFeature = ({ features }: Features, name: string): boolean =>
  name.startsWith('^') ? features[name.slice(1)] === 'on or off' : Object.hasOwn(features, name);

function settingsFault(value: Settings, text: string, place: Place): Fault {
  const parts = text.split(',').map(keyAndValue);
  const strangers = parts.flatMap(([key]) => (named(value.settings, key) ? [] : [key]));
  const twice = repeated(parts.map(([key]) => named(value.settings, key)?.name ?? key));
  const faults = [
    ...(strangers.length > 0 ? [strangersFault(value, strangers, '.', place)] : []),
    ...parts.flatMap(([key, given]) => settingFault(value, key, given, place) ?? []),
    ...(twice === undefined ? [] : [`${shown(twice)} is there twice`]),
  ];
  return faults.length === 0 ? undefined : faults.join('; ');
}

/** Of one that is known. */
function settingFault({ settings }: Settings, key: string, given: string | undefined, place: Place): Fault {
  const setting = named(settings, key);
  return setting && partFault(setting, given, { name: `${place.name}.${key}`, refused: place.refused });
}

/** Of something that has its value behind an equals sign, or none. */
export function partFault(allowed: Allowed, value: string | undefined, place: Place): Fault {
  if (value === undefined) {
    if (allowed.value.is === 'none' || allowed.isBareToo) return undefined;
    return `${place.name} takes ${inWords(allowed.value)}`;
  }
  if (allowed.value.is === 'none') return `${place.name} takes no value`;
  return valueFault(allowed.value, value, place);
}

export const named = (list: readonly Allowed[], name: string): Allowed | undefined =>
  list.find((each) => each.name === name || each.aliases?.includes(name));

export function keyAndValue(text: string): readonly [string, string | undefined] {
  const equals = text.indexOf('=');
  return equals === -1 ? [text, undefined] : [text.slice(0, equals), text.slice(equals + 1)];
}

const repeated = (names: readonly string[]): string | undefined => names.find((name, i) => names.indexOf(name) !== i);

/** The reason, where the table has one. */
export function whyRefused(refused: readonly Refused[], name: string): Fault {
  const isMeant = (each: string): boolean => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : each === name);
  return refused.find(({ names }) => names.some(isMeant))?.why;
}

const inShort = ({ name, value, isBareToo }: Allowed): string => {
  if (value.is === 'none') return name;
  return isBareToo ? `${name}[=…]` : `${name}=…`;
};

/** What a value has to be, for people. */
export function inWords(value: Value): string {
  switch (value.is) {
    case 'none':
      return 'no value';
    case 'number':
      return `a ${value.hasDecimals ? '' : 'whole '}number from ${value.from} to ${value.to}`;
    case 'size':
      return `a whole number, with one of ${[...value.suffixes].join(' ')} after it or without`;
    case 'word':
      return value.words.length === 1 ? `${value.words[0]}` : `one of ${value.words.join(', ')}`;
    case 'levelled':
      return `one of ${Object.entries(value.highest).map(levels).join(', ')}`;
    case 'label':
      return `${LABEL_START} and letters, digits, "_", "." and "-", ${value.longest} characters at most in all: nodes find their own disks by label`;
    case 'owner':
      return 'UID:GID, as numbers';
    case 'features':
      return `a list with commas of ${Object.entries(value.features).map(feature).join(', ')}`;
    case 'settings':
      return `a list with commas of ${value.settings.map(inShort).join(', ')}`;
  }
}

const feature = ([name, how]: readonly [string, string]): string => (how === 'on' ? name : `[^]${name}`);

const levels = ([word, highest]: readonly [string, number]): string =>
  highest === 0 ? word : `${word}[:1-${highest}]`;
