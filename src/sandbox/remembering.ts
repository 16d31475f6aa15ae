/** A pure function of a text that remembers its answers: for texts that come again and again, such as paths and times. */
export function remembering<T extends object | string>(
  answerTo: (text: string) => T,
  most = 1_000,
): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const answer = answerTo(text);
    if (known.size >= most) known.clear();
    known.set(text, answer);
    return answer;
  };
}
