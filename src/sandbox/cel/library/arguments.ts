/** The arguments of functions, taken for what they have to be. Where one is not, there is no such overload. */
import { noSuchOverload } from '../cel-error.ts';
import { type CelValue, isCelList, Opaque, type OpaqueContent } from '../values.ts';

export type CelFunction = (args: readonly CelValue[]) => CelValue;
export type Library = Readonly<Record<string, CelFunction>>;

export function text(args: readonly CelValue[], place: number): string {
  const value = args[place];
  if (typeof value !== 'string') throw noSuchOverload();
  return value;
}

export function integer(args: readonly CelValue[], place: number): number {
  const value = args[place];
  if (typeof value !== 'bigint') throw noSuchOverload();
  return Number(value);
}

export function listAt(args: readonly CelValue[], place: number): readonly CelValue[] {
  const value = args[place];
  if (value === undefined || !isCelList(value)) throw noSuchOverload();
  return value;
}

export function anything(args: readonly CelValue[], place: number): CelValue {
  const value = args[place];
  if (value === undefined) throw noSuchOverload();
  return value;
}

export function opaque<T extends OpaqueContent>(
  args: readonly CelValue[],
  place: number,
  isOne: (content: OpaqueContent) => content is T,
): T {
  const value = args[place];
  if (!(value instanceof Opaque) || !isOne(value.content)) throw noSuchOverload();
  return value.content;
}

/** Only with so many arguments, the receiver included. */
export const taking =
  (counts: readonly number[], called: CelFunction): CelFunction =>
  (args) => {
    if (!counts.includes(args.length)) throw noSuchOverload();
    return called(args);
  };
