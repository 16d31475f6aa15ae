/** Objects as text. One that is stored is never changed, and is answered, watched and noted again and again: its text is made once. */

const texts = new WeakMap<object, string>();

export function textOf(object: object): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  texts.set(object, text);
  return text;
}
