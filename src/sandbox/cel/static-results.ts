/** What functions give, as far as it does not depend on what they are given. Methods have a dot before their names. */
import { BOOL, INT, STRING, type StaticType, scalar } from './static-types.ts';

const to = (type: StaticType, names: string): readonly [string, StaticType][] =>
  names.split(' ').map((name) => [name, type]);

const TEXTS: StaticType = { is: 'list', of: STRING };

export const CALLED: Readonly<Record<string, StaticType>> = Object.fromEntries([
  ...to(
    INT,
    'size int .size .indexOf .lastIndexOf .compareTo .getFullYear .getMonth .getDate .getHours .getMinutes .getSeconds',
  ),
  ...to(STRING, 'string .lowerAscii .upperAscii .trim .replace .substring .charAt .join .format .reverse'),
  ...to(BOOL, 'bool isQuantity isURL isIP .matches .contains .startsWith .endsWith .isSorted .hasValue .isInteger'),
  ...to(BOOL, '.isGreaterThan .isLessThan sets.contains sets.equivalent sets.intersects'),
  ...to(scalar('double'), 'double'),
  ...to(scalar('uint'), 'uint'),
  ...to(scalar('bytes'), 'bytes'),
  ...to(scalar('timestamp'), 'timestamp'),
  ...to(scalar('duration'), 'duration'),
  ...to(TEXTS, '.split .findAll'),
]);

/** They are of texts and of nothing else. */
export const STRING_METHODS: ReadonlySet<string> = new Set(
  'startsWith endsWith contains matches lowerAscii upperAscii trim replace substring charAt split'.split(' '),
);
