/** How a command prints a value: as text for people, or as JSON or YAML for programs. */
import { visibleLines } from '../kit/visible.ts';
import { choice } from './flags/choice.ts';
import { flag } from './flags/flag.ts';

export const outputFlag = flag('-o, --output', 'how to print the answer', choice('text', 'json', 'yaml'), {
  default: 'text',
});

export type OutputFormat = 'text' | 'json' | 'yaml';

/** `asText` is only called when it is needed. YAML is read from disk only when someone wants it. */
export async function formatted<T>(value: T, format: OutputFormat, asText: (value: T) => string): Promise<string> {
  if (format === 'text') return asText(value);
  if (format === 'json') return visibleLines(`${JSON.stringify(value, null, 2)}\n`);
  const { toYaml } = await import('../kit/yaml.ts');
  return visibleLines(toYaml(value));
}
