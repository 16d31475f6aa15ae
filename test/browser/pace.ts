/** How fast the machine is just now: other work on it does not only make one wait, it also makes the same work longer. */
import type { Page } from 'playwright-core';
import { told } from './browser.ts';
import { workOf } from './trace.ts';

/** Always the same work, of the kinds that the page does: words to compare, elements to make, to lay out and to paint. */
const FIXED = `(() => {
  const words = Array.from({ length: 10_000 }, (_, index) => 'volume-' + ((index * 7919) % 10_007));
  words.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const box = document.createElement('div');
  box.style = 'position: fixed; inset: 0; overflow: hidden; z-index: 99; background: white; pointer-events: none';
  for (const word of words.slice(0, 300)) {
    const line = document.createElement('p');
    for (const part of [word, 'shop/data', '20 GiB']) {
      const cell = document.createElement('span');
      cell.textContent = part;
      line.append(cell);
    }
    box.append(line);
  }
  document.body.append(box);
  const height = box.scrollHeight;
  requestAnimationFrame(() => requestAnimationFrame(() => box.remove()));
  return height;
})()`;

/** Of the machine that the limits were set for; it was not measured there. A slower one with 2 cores takes 35 to 60 ms with nothing else to do: docs/limitations.md. */
const AT_REST_MS = 21;

/** What work that took so long just now would take on that machine at rest: never more than it did. */
export async function paceOf(page: Page): Promise<(ms: number) => number> {
  const { totalMs } = await workOf(page, async () => void (await told(page, FIXED)));
  const share = Math.min(1, AT_REST_MS / totalMs);
  return (ms) => ms * share;
}
