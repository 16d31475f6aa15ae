/** What it means when a store over a network refuses, or cannot be reached at all. */
import { errorCode, meaning } from '../../kit/host/file-error.ts';
import { quote } from '../../kit/invalid-value.ts';
import type { StoreFault } from './store.ts';

/** What the server has said. Its text may be anything, and is quoted. */
export interface Refusal {
  readonly status: number;
  /** The store's own word, such as `NoSuchBucket`; empty when there was none. */
  readonly code: string;
  readonly message: string;
}

export interface Explanation {
  readonly fault: StoreFault;
  readonly why: string;
}

/** `known` are the store's own words, which come before the status. */
export function explainRefusal(refusal: Refusal, known: Readonly<Record<string, StoreFault>>): Explanation {
  const { status, code, message } = refusal;
  const fault = (Object.hasOwn(known, code) && known[code]) || faultOfStatus(status);
  const words = [String(status), code, message && `(${quote(message)})`].filter((word) => word !== '');
  return { fault, why: `the store answers ${words.join(' ')}` };
}

function faultOfStatus(status: number): StoreFault {
  if (status === 401 || status === 403) return 'denied';
  if (status === 404 || (status >= 300 && status < 400)) return 'noBucket';
  if (status === 412) return 'preconditionFailed';
  if (status === 408 || status === 409 || status === 425 || status === 429) return 'unavailable';
  if (status === 501 || (status >= 400 && status < 500)) return 'unsupported';
  return 'unavailable';
}

/** What a resolver and TLS say, in other words than the system has. */
const SILENCES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is not known here',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  EPROTO: 'it does not speak TLS there',
};

/** No answer came, or none that can be understood. */
export function explainSilence(error: unknown): Explanation {
  const code = errorCode(error);
  if (code === 'EUNKNOWN') return { fault: 'unavailable', why: `its answer is not understood (${nameOf(error)})` };
  const isCertificate = /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO_VERIFY/.test(code);
  const words = isCertificate
    ? 'its certificate is not trusted; NODE_EXTRA_CA_CERTS can name one that is'
    : meaning(code);
  return { fault: 'unavailable', why: `${Object.hasOwn(SILENCES, code) ? SILENCES[code] : words} (${code})` };
}

const nameOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${quote(withoutUserinfo(error.message))}` : typeof error;

/** The address of a proxy may have a password in it. */
export const withoutUserinfo = (text: string): string => text.replace(/\/\/[^/@\s]*@/g, '//…@');
