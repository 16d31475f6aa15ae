/** A line of a table of the kernel that is not as the kernel's documentation says. */
export class TableError extends Error {
  override readonly name = 'TableError';

  constructor(table: string, line: string) {
    super(
      `cannot understand the host's ${table}: ${JSON.stringify(line.slice(0, 500))}. Nothing is decided from a table read in part; please report this line`,
    );
  }
}
