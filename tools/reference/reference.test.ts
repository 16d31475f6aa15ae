import { expect, test } from 'vitest';
import { PAGES, pageAsItShouldBe, pageNow } from './reference.ts';

test.each(PAGES)('the tables of %s are as the code has them: make docs', (page) => {
  expect(pageNow(page)).toContain('<!-- table: ');
  expect(pageNow(page)).toBe(pageAsItShouldBe(page));
});
