/** What is wrong with a name, in the words of a kube-apiserver. Each gives one sentence for each rule that is broken. */

const DNS_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;

const LABEL_SENTENCE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN_SENTENCE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const QUALIFIED_SENTENCE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const LABEL_VALUE_SENTENCE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

interface Rule {
  readonly pattern: string;
  readonly sentence: string;
  readonly examples: readonly string[];
  readonly longest?: number;
  /** What its length is told in. */
  readonly unit?: string;
}

const compiled = new Map<string, RegExp>();

function fits(pattern: string, text: string): boolean {
  const regex = compiled.get(pattern) ?? new RegExp(`^(?:${pattern})$`);
  compiled.set(pattern, regex);
  return regex.test(text);
}

const regexFault = ({ sentence, examples, pattern }: Rule): string => {
  const shown = examples.map((example, index) => `${index > 0 ? 'or ' : ''}'${example}', `).join(' ');
  return `${sentence} (e.g. ${shown}regex used for validation is '${pattern}')`;
};

const tooLong = (longest: number, unit = 'bytes'): string => `must be no more than ${longest} ${unit}`;

/** Length first where the server looks at it first. */
function broken(rule: Rule, text: string): string[] {
  const { longest = Number.POSITIVE_INFINITY, unit, pattern } = rule;
  return [
    ...(Buffer.byteLength(text) > longest ? [tooLong(longest, unit)] : []),
    ...(fits(pattern, text) ? [] : [regexFault(rule)]),
  ];
}

const LABEL: Rule = { pattern: DNS_LABEL, sentence: LABEL_SENTENCE, examples: ['my-name', '123-abc'] };

/** What would be a name of several labels has too many of them. */
export function dnsLabelFaults(name: string): string[] {
  const length = Buffer.byteLength(name) > 63 ? [tooLong(63, 'characters')] : [];
  if (fits(DNS_LABEL, name)) return length;
  return [...length, fits(SUBDOMAIN, name) ? 'must not contain dots' : regexFault(LABEL)];
}

export const subdomainFaults = (name: string): string[] =>
  broken(
    {
      pattern: SUBDOMAIN,
      sentence: SUBDOMAIN_SENTENCE,
      examples: ['example.com'],
      longest: 253,
      unit: 'characters',
    },
    name,
  );

const DNS_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const DNS_1035_SENTENCE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";

/** Names of kinds and versions, which programs are written with. */
export const dns1035Faults = (name: string): string[] =>
  broken(
    {
      pattern: DNS_1035,
      sentence: DNS_1035_SENTENCE,
      examples: ['my-name', 'abc-123'],
      longest: 63,
      unit: 'characters',
    },
    name,
  );

/** Of RBAC objects and others whose name stands in a path and nowhere else. */
export function pathSegmentFaults(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((piece) => name.includes(piece)).map((piece) => `may not contain '${piece}'`);
}

export const labelValueFaults = (value: string): string[] =>
  broken(
    {
      pattern: LABEL_VALUE,
      sentence: LABEL_VALUE_SENTENCE,
      examples: ['MyValue', 'my_value', '12345'],
      longest: 63,
    },
    value,
  );

/** A key of labels or annotations, or a finalizer: a name, after the domain and a slash if it has one. */
export function qualifiedNameFaults(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2)
    return [
      `a valid label key ${QUALIFIED_SENTENCE} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const [prefix, name] = parts.length === 2 ? [parts[0], parts[1] ?? ''] : [undefined, parts[0] ?? ''];
  return [...(prefix === undefined ? [] : prefixFaults(prefix)), ...namePartFaults(name)];
}

function prefixFaults(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return subdomainFaults(prefix).map((fault) => `prefix part ${fault}`);
}

function namePartFaults(name: string): string[] {
  const faults = name === '' ? ['name part must be non-empty'] : [];
  if (Buffer.byteLength(name) > 63) faults.push(`name part ${tooLong(63)}`);
  if (!fits(QUALIFIED, name)) {
    const rule = { pattern: QUALIFIED, sentence: QUALIFIED_SENTENCE, examples: ['MyName', 'my.name', '123-abc'] };
    faults.push(`name part ${regexFault(rule)}`);
  }
  return faults;
}

/** A name may be generated by adding to a prefix: then the prefix may end as no name does. */
export const generatedFrom =
  (faults: (name: string) => readonly string[]) =>
  (prefix: string): readonly string[] =>
    faults(prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix);
