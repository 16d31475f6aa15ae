/** Whether there are colours, and how each tone looks in them: on a terminal that has them, unless somebody wants it otherwise. */
import { styleText } from 'node:util';
import type { Terminal } from '../line/command.ts';
import type { Tone } from './page.ts';

type Where = Pick<Terminal, 'env'> & { readonly stdout: Pick<Terminal['stdout'], 'isTTY'> };

/** FORCE_COLOR counts most, as it does for other programs; then NO_COLOR, whatever it says. Empty ones count for nothing. */
export function hasColours({ env, stdout }: Where): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: unwanted, TERM: kind } = env;
  if (forced) return forced !== '0' && forced !== 'false';
  if (unwanted) return false;
  return stdout.isTTY === true && kind !== 'dumb';
}

const STYLES = { good: 'green', warn: 'yellow', bad: 'red', dim: 'dim', strong: 'bold' } as const satisfies Record<
  Tone,
  Parameters<typeof styleText>[0]
>;

export const coloured = (text: string, tone: Tone): string => styleText(STYLES[tone], text, { validateStream: false });
