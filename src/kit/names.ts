/**
 * What Kubernetes allows as a name, a label or an annotation. Each check returns the sentence that says what is wrong,
 * or nothing when all is well. They agree with the API server on every input.
 */
import { quote } from './invalid-value.ts';

export const LONGEST_DNS_LABEL = 63;
const LONGEST_SUBDOMAIN = 253;
export const LONGEST_LABEL_PART = 63;

interface Alphabet {
  readonly edge: RegExp;
  readonly inside: RegExp;
  readonly words: string;
}

const DNS: Alphabet = {
  edge: /^[a-z0-9]$/,
  inside: /^[-a-z0-9]$/,
  words: 'lower-case letters, digits and "-"',
};

const LABEL: Alphabet = {
  edge: /^[A-Za-z0-9]$/,
  inside: /^[-A-Za-z0-9_.]$/,
  words: 'letters, digits, "-", "_" and "."',
};

type Check = (value: string) => string | undefined;

/** Names of Namespaces, Services, Pods' host names and most others that end up in DNS: an RFC 1123 label. */
export const dnsLabelFault: Check = (value) =>
  sentence(value, 'a DNS label', lengthFault(value, LONGEST_DNS_LABEL) ?? spellingFault(value, DNS));

/** Names of most other objects: RFC 1123 labels joined by dots. */
export const dnsSubdomainFault: Check = (value) => sentence(value, 'a DNS name', subdomainFault(value));

export const labelKeyFault: Check = (value) => sentence(value, 'a label key', keyFault(value));

export const labelValueFault: Check = (value) => {
  if (value === '') return undefined;
  return sentence(value, 'a label value', lengthFault(value, LONGEST_LABEL_PART) ?? spellingFault(value, LABEL));
};

/** As for label keys, but upper case is allowed in front of the slash too. */
export const annotationKeyFault: Check = (value) => sentence(value, 'an annotation key', keyFault(lowerCase(value)));

function sentence(value: string, kind: string, fault: string | undefined): string | undefined {
  return fault === undefined ? undefined : `${quote(value)} is not ${kind}: ${fault}`;
}

const lengthFault = (value: string, longest: number): string | undefined =>
  value.length > longest ? `it has ${value.length} characters, and ${longest} is the most` : undefined;

function spellingFault(value: string, { edge, inside, words }: Alphabet): string | undefined {
  if (value === '') return 'it is empty';
  const stranger = Array.from(value).find((char) => !inside.test(char));
  if (stranger !== undefined) return `${quote(stranger)} is not allowed, only ${words}`;
  const badEdge = [value.slice(0, 1), value.slice(-1)].find((char) => !edge.test(char));
  return badEdge === undefined ? undefined : `${quote(badEdge)} is not allowed at the start or the end`;
}

/** The parts between the dots may be longer than a DNS label: the server does not mind. */
function subdomainFault(value: string): string | undefined {
  if (value === '') return 'it is empty';
  const tooLong = lengthFault(value, LONGEST_SUBDOMAIN);
  if (tooLong !== undefined) return tooLong;
  const parts = value.split('.');
  if (parts.includes('')) return 'there is nothing between two dots, or before the first or after the last';
  return parts.map((part) => spellingFault(part, DNS)).find((fault) => fault !== undefined);
}

function keyFault(key: string): string | undefined {
  const slash = key.indexOf('/');
  const prefixFault = slash === -1 ? undefined : subdomainFault(key.slice(0, slash));
  if (prefixFault !== undefined) return `in front of the "/", ${prefixFault}`;
  const name = key.slice(slash + 1);
  const nameFault = lengthFault(name, LONGEST_LABEL_PART) ?? spellingFault(name, LABEL);
  return slash === -1 || nameFault === undefined ? nameFault : `after the "/", ${nameFault}`;
}

/** The server lowers "İ" to a plain "i", where this language makes two characters of it. */
const lowerCase = (text: string): string => text.replaceAll('\u0130', 'i').toLowerCase();
