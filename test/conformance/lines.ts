/** The lines of a stream, read from its beginning, whether somebody waits for them or not. */

/** Gives a function that waits for so many lines, and gives those that have come when the time is up or the stream ends. */
export function readLines(body: AsyncIterable<Uint8Array>): (count: number, ms: number) => Promise<readonly string[]> {
  const lines: string[] = [];
  let isOver = false;
  let wake = () => {};
  void (async () => {
    for await (const line of split(body)) {
      lines.push(line);
      wake();
    }
  })()
    .catch(() => {})
    .finally(() => {
      isOver = true;
      wake();
    });
  return async (count, ms) => {
    const late = setTimeout(() => {
      isOver = true;
      wake();
    }, ms);
    while (lines.length < count && !isOver) await new Promise<void>((resolve) => (wake = resolve));
    clearTimeout(late);
    return lines.slice();
  };
}

async function* split(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
