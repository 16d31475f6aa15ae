/** Objects as text. One that is stored is never changed, and is answered, watched and noted again and again: its text is made once. */

const texts = new WeakMap<object, string>();

export function textOf(object: object): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = isList(object) ? textOfList(object) : JSON.stringify(object);
  texts.set(object, text);
  return text;
}

interface List {
  readonly kind: string;
  readonly items: readonly object[];
}

/** An object of a custom kind may be called so, too, and have anything as its items. */
const isList = (object: object): object is List =>
  'kind' in object &&
  String(object.kind).endsWith('List') &&
  'items' in object &&
  Array.isArray(object.items) &&
  object.items.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item));

/** Of the texts of its items, which are seldom new. */
function textOfList({ items, ...head }: List): string {
  return `${JSON.stringify(head).slice(0, -1)},"items":[${items.map(textOf).join(',')}]}`;
}
