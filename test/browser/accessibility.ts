/** What axe finds wrong with a page, one line for each thing. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Only what is wrong: to describe all that is right, and to bring it here, takes longer than to look. */
const FIND = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`;

/** By evaluation, which the page's policy does not forbid: a script in the page would be. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(`${axe.source}; undefined`);
  const violations = await page.evaluate<readonly Violation[]>(FIND);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
  );
}
