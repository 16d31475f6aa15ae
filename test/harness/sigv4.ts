/** AWS Signature Version 4 by hand, for the requests that tests send to an object store: a client is not to check itself. */
import { createHash, createHmac } from 'node:crypto';

export interface Credentials {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

export interface Unsigned {
  readonly method: string;
  readonly host: string;
  /** As it goes over the wire; `encodedPath` and `encodedQuery` make them. */
  readonly path: string;
  readonly query: string;
  /** Their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Without it what is sent is not signed, as S3 allows. */
  readonly body?: Uint8Array | string;
}

/** The headers to send: the given ones, and those that say who sends them, and when. All of them are signed. */
export function signedHeaders(request: Unsigned, credentials: Credentials, at: Date): Record<string, string> {
  const time = at.toISOString().replace(/[-:]|\.\d+/g, '');
  const content = request.body === undefined ? 'UNSIGNED-PAYLOAD' : sha256(request.body);
  const headers = { ...request.headers, host: request.host, 'x-amz-content-sha256': content, 'x-amz-date': time };
  const entries = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = entries.map(([name]) => name).join(';');
  const lines = entries.map(([name, value]) => `${name}:${value.trim()}\n`).join('');
  const canonical = [request.method, request.path, request.query, lines, names, content].join('\n');
  const { accessKey, secretKey, region } = credentials;
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request'];
  const toSign = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)];
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretKey}`);
  const signature = hmac(key, toSign.join('\n')).toString('hex');
  const credential = `${accessKey}/${scope.join('/')}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${names},Signature=${signature}`,
  };
}

export const encodedPath = (path: string): string => path.split('/').map(encoded).join('/');

export const encodedQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');

/** All but the letters, digits and four marks that RFC 3986 leaves as they are. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

const sha256 = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex');

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
