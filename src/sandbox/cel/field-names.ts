/** Fields whose names CEL could not write have others there: `a-b` is `a__dash__b`, and `namespace` is `__namespace__`. */

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return'.split(' '),
);

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};
const ORIGINALS: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

export function escaped(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replace(/__|[.\-/]/g, (each) => ESCAPES[each] ?? each);
}

export function unescaped(name: string): string {
  const reserved = /^__(\w+?)__$/.exec(name)?.[1];
  if (reserved !== undefined && RESERVED.has(reserved)) return reserved;
  return name.replace(/__(underscores|dot|dash|slash)__/g, (_, each: string) => ORIGINALS[each] ?? '');
}
