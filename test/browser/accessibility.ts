/** What axe finds wrong with a page, one line for each thing. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** By evaluation, which the page's policy does not forbid: a script in the page would be. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(`${axe.source}; undefined`);
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>('axe.run(document)');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
  );
}
