/** The commands on the pages of documentation are run as they stand there, and end well. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Block, blocksOf, commandsToRun, docPages, type Place } from '../../../tools/doc-blocks/blocks.ts';
import { PREPARED, type Prepared } from './places.ts';

const all = docPages().flatMap((page) => blocksOf(page));
const isRun = (block: Block): block is Block & { readonly run: keyof typeof PREPARED } =>
  block.run !== undefined && block.run in PREPARED;

/** A page's blocks are run in their order, in a place of their own where one leaves something behind. */
const SHARED: readonly Place[] = ['machine', 'demo', 'pool'];
const groupOf = ({ run, page }: Block & { readonly run: Place }): string =>
  SHARED.includes(run) ? run : `${run}: ${page.replace(/(runbooks)\/.*/, '$1')}`;
const groups = Map.groupBy(all.filter(isRun), groupOf);

describe.each([...groups])('%s', (_, blocks) => {
  let place: Prepared;
  beforeAll(async () => {
    const [first] = blocks;
    if (first) place = await PREPARED[first.run]();
  });
  afterAll(() => place?.[Symbol.asyncDispose]());

  test.each(blocks.map((block) => [`${block.page}:${block.line}`, block] as const))('%s', async (_where, block) => {
    await place.before?.(block);
    const { code, said } = await place.session.run(commandsToRun(block));
    expect(code, said).toBe(block.endsWith);
    if (block.language === 'console' && block.run === 'machine') expect(said).toContain(shownOn(block));
  });
});

/** What is shown below the command. */
const shownOn = ({ text }: Block): string => text.split('\n').slice(1).join('\n');
