/** How each server wants to be asked for a blob. */
import type { OutgoingHttpHeaders } from 'node:http';
import { type Credentials, signedHeaders } from '../../test/harness/sigv4.ts';
import type { Request } from './http.ts';

export type Dialect =
  | { readonly is: 'plain'; readonly url: string; readonly prefix: string; readonly headers: OutgoingHttpHeaders }
  | { readonly is: 's3'; readonly url: string; readonly prefix: string; readonly credentials: Credentials };

export type Method = 'PUT' | 'GET' | 'DELETE';

/** To be made before anything is measured: a signature is work of the client. */
export function requestFor(dialect: Dialect, method: Method, key: string, body?: Buffer): Request {
  const path = dialect.prefix + key;
  const length = body && { 'content-length': String(body.length) };
  const headers = { ...(dialect.is === 'plain' ? dialect.headers : signed(dialect, method, path)), ...length };
  return { method, path, headers, ...(body && { body }) };
}

/** Without what is sent, which S3 allows: nobody then has to read it all beforehand, nor does the server check it. */
function signed({ url, credentials }: Extract<Dialect, { is: 's3' }>, method: Method, path: string) {
  const { host } = new URL(url);
  return signedHeaders({ method, host, path, query: '', headers: {} }, credentials, new Date());
}
