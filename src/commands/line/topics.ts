/** What `holdfast help TOPIC` tells besides commands. */

interface Topic {
  readonly summary: string;
  readonly text: string;
}

/** Each code with what it means: docs/reference/command-line.md has them from here. */
export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: 'all went well; also when --watch was ended by Ctrl-C',
  1: 'it failed: standard error says why in a sentence',
  2: 'it was used wrongly: standard error says how it is used',
  3: 'something needs a person: only with --exit-code, of status',
  4: 'something could not be looked at, and nothing is known to need a person: only with --exit-code, of status',
};

export const TOPICS: Readonly<Record<string, Topic>> = {
  'exit-codes': {
    summary: 'what the program ends with',
    text: [
      'Exit codes:',
      ...Object.entries(EXIT_CODES).map(([code, what]) => `  ${code}  ${what}`),
      '',
      'A second Ctrl-C ends at once, with 130; a second SIGTERM with 143.',
      '',
    ].join('\n'),
  },
};
