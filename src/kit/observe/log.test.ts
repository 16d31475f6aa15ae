import { expect, it } from 'vitest';
import { LOG_LEVELS, parseLogLevel } from './log.ts';

it.each(LOG_LEVELS)('reads the level %s, in any case', (level) => {
  expect(parseLogLevel(level)).toBe(level);
  expect(parseLogLevel(level.toUpperCase())).toBe(level);
});

it('says which levels there are when it is given another', () => {
  expect(() => parseLogLevel('loud')).toThrow(
    '"loud" is not a log level: it must be one of trace, debug, info, warn, error, silent',
  );
});
