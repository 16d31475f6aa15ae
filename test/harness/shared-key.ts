/** Azure's Shared Key signature by hand, for the requests that tests send to an object store: a client is not to check itself. */
import { createHmac } from 'node:crypto';

export interface Account {
  readonly name: string;
  /** In base64. */
  readonly key: string;
}

export interface UnsignedAzure {
  readonly method: string;
  /** As it goes over the wire, beginning with the account where that is not in the host. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly length: number;
}

const VERSION = '2021-12-02';
/** Signed by their place, in this order, between method and the headers of Azure's own. */
const PLACES = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-md5',
  'content-type',
  'date',
  'if-modified-since',
  'if-match',
  'if-none-match',
  'if-unmodified-since',
  'range',
];

/** The headers to send: the given ones, and those that say who sends them, and when. */
export function sharedKeyHeaders(request: UnsignedAzure, account: Account, at: Date): Record<string, string> {
  const headers: Record<string, string> = {
    ...request.headers,
    'x-ms-date': at.toUTCString(),
    'x-ms-version': VERSION,
    ...(request.length > 0 && { 'content-length': String(request.length) }),
  };
  const own = Object.entries(headers).filter(([name]) => name.startsWith('x-ms-'));
  const toSign = [
    request.method,
    ...PLACES.map((name) => headers[name] ?? ''),
    ...sorted(own).map(([name, value]) => `${name}:${value}`),
    [`/${account.name}${request.path}`, ...sorted(Object.entries(request.query)).map((each) => each.join(':'))].join(
      '\n',
    ),
  ].join('\n');
  const signature = createHmac('sha256', Buffer.from(account.key, 'base64')).update(toSign).digest('base64');
  return { ...headers, authorization: `SharedKey ${account.name}:${signature}` };
}

const sorted = (entries: readonly (readonly [string, string])[]) => entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
