/** Tables as Markdown has them. */

/** A bar inside of a cell would end it. */
export const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`.replaceAll('  |', ' |');
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('');
}
