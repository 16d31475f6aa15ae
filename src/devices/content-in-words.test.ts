import { describe, expect, it } from 'vitest';
import { known, unknown } from './builders.ts';
import { contentInWords } from './content-in-words.ts';

describe('what is on a device is told to people', () => {
  it.each([
    [{ signature: known('ext4'), isBlank: false }, 'ext4'],
    [{ signature: known(undefined), isBlank: false }, 'data of a kind that is not recognised'],
    [{ signature: known(undefined), isBlank: true }, undefined],
    [{ signature: unknown('blkid was not found'), isBlank: false }, undefined],
  ])('%o: %s', (content, words) => {
    expect(contentInWords(content)).toBe(words);
  });
});
