/** How a command prints a value: as text or tables for people, or as JSON or YAML for programs. */
import { visibleLines } from '../kit/visible.ts';
import { choice } from './flags/choice.ts';
import { flag } from './flags/flag.ts';
import type { Terminal } from './line/command.ts';
import type { Page } from './page/page.ts';
import { rendered } from './page/render.ts';
import { screenOf } from './page/screen.ts';

/** Of commands whose answer is no table. */
export const outputFlag = flag('-o, --output', 'how to print the answer', choice('text', 'json', 'yaml'), {
  default: 'text',
});

export type OutputFormat = 'text' | 'json' | 'yaml';

/** Of commands that show a page. */
export const pageFlag = flag(
  '-o, --output',
  'how to print the answer; wide tables have more columns',
  choice('table', 'wide', 'json', 'yaml'),
  { default: 'table' },
);

export type PageFormat = 'table' | 'wide' | 'json' | 'yaml';

/** `asText` is only called when it is needed. YAML is read from disk only when someone wants it. */
export async function formatted<T>(value: T, format: OutputFormat, asText: (value: T) => string): Promise<string> {
  if (format === 'text') return asText(value);
  if (format === 'json') return visibleLines(`${JSON.stringify(value, null, 2)}\n`);
  const { toYaml } = await import('../kit/yaml.ts');
  return visibleLines(toYaml(value));
}

/** The same of a value that has a page. */
export const asPage = <T>(
  value: T,
  format: PageFormat,
  terminal: Terminal,
  pageOf: (value: T) => Page,
): Promise<string> =>
  format === 'json' || format === 'yaml'
    ? formatted(value, format, () => '')
    : Promise.resolve(rendered(pageOf(value), screenOf(terminal, format === 'wide')));
