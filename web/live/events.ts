/** Server-sent events out of a stream of text, as the HTML standard says, however the text is cut into pieces. */

export interface ServerEvent {
  /** The last id that was told, with this event or before it: where to go on. */
  readonly id: string;
  readonly data: string;
}

/** Takes piece after piece, and gives the events that are whole with it. What is not whole is kept, and looked at once only: a first state is megabytes on one line. */
export function eventReader(): (piece: string) => readonly ServerEvent[] {
  const lines = lineReader();
  let id = '';
  let data: string[] = [];

  const take = (line: string): ServerEvent | undefined => {
    if (line === '') {
      const event = data.length > 0 ? { id, data: data.join('\n') } : undefined;
      data = [];
      return event;
    }
    const [field, value] = fieldOf(line);
    if (field === 'data') data.push(value);
    if (field === 'id' && !value.includes('\0')) id = value;
    return undefined;
  };

  return (piece) => lines(piece).flatMap((line) => take(line) ?? []);
}

/** `data: x` and `data:x` are the same; a line that begins with a colon is a comment, and has a field without a name. */
function fieldOf(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}

/** Lines end with CR, LF or both. A CR at the end of a piece may be half of both. */
function lineReader(): (piece: string) => readonly string[] {
  let begun: string[] = [];
  let endedWithReturn = false;
  return (piece) => {
    const text = endedWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') endedWithReturn = piece.endsWith('\r');
    const parts = text.split(/\r\n|\r|\n/);
    const rest = parts.pop() ?? '';
    if (parts.length === 0) {
      begun.push(rest);
      return [];
    }
    const [first = '', ...others] = parts;
    const whole = [begun.join('') + first, ...others];
    begun = [rest];
    return whole;
  };
}
