/** What a person may have meant who typed something that there is not. */

/** How many letters have to be put in, taken out or replaced to make one of the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, wanted] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

const MOST = 5;

/** The best first; those that have it in them count as near. Nothing when none is like it. */
export function nearest(typed: string, known: Iterable<string>): readonly string[] {
  const asked = typed.toLowerCase().slice(0, 100);
  const scored = [...new Set(known)].map((name) => {
    const lower = name.toLowerCase();
    const isPart = asked.length > 2 && (lower.includes(asked) || asked.includes(lower));
    return { name, score: isPart ? 0.5 : distance(asked, lower) };
  });
  const limit = Math.max(2, Math.floor(asked.length / 3));
  return scored
    .filter(({ score }) => score <= limit)
    .toSorted((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, MOST)
    .map(({ name }) => name);
}
