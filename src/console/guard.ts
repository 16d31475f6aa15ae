/** Which requests a console does not answer, and what every answer of it says to browsers. Pure. */

export interface Refusal {
  readonly status: number;
  readonly problem: string;
  /** When it makes sense to ask again, where it is known. */
  readonly retryAfterS?: number;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
  /** It came to us by TLS. If not, something before us may have ended that. */
  readonly isEncrypted?: boolean;
}

/** Set by the page on what changes something: another site cannot do so without being asked about it first. */
export const OWN_HEADER = 'x-holdfast';

/** Nothing else is loaded, nothing is sent elsewhere, nobody puts the page into a frame, and no text ever becomes a script or an element. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Without its port. Whoever forwards one chooses another. */
export const nameIn = (host: string): string => host.toLowerCase().replace(/^([^:]+|\[.*\]):\d*$/, '$1');

/** A name that somebody else has made lead here is not ours: so no site can talk to us under its own name. */
function isForeignHost(host: string | undefined, ours: ReadonlySet<string>): boolean {
  if (host === undefined || !/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.test(host)) return true;
  const name = nameIn(host);
  return !LOOPBACK_NAMES.has(name) && !ours.has(name);
}

function isForeignOrigin(origin: string | undefined, host: string, isEncrypted: boolean): boolean {
  if (origin === undefined) return false;
  const url = URL.parse(origin);
  if (url === null || !(isEncrypted ? ['https:'] : ['http:', 'https:']).includes(url.protocol)) return true;
  return url.host !== URL.parse(`${url.protocol}//${host}`)?.host;
}

/** `ours` are the names under which this console may be reached besides loopback, in lower case. */
export function refusalOf(
  { method, path, header, isEncrypted = false }: Asked,
  ours: ReadonlySet<string>,
): Refusal | undefined {
  const host = header('host');
  if (host === undefined || isForeignHost(host, ours))
    return {
      status: 421,
      problem: 'This console is not reached under that name: allow it with --host, or use localhost.',
    };
  if (!path.startsWith('/api/')) return method === 'GET' || method === 'HEAD' ? undefined : wrongMethod(method);
  const site = header('sec-fetch-site');
  if (
    isForeignOrigin(header('origin'), host, isEncrypted) ||
    (site !== undefined && site !== 'same-origin' && site !== 'none')
  )
    return { status: 403, problem: 'Requests of other sites are not answered.' };
  return method === 'POST' ? whyNotPosted(header) : undefined;
}

function whyNotPosted(header: Asked['header']): Refusal | undefined {
  if (header(OWN_HEADER) === undefined)
    return { status: 403, problem: `What changes something has to be sent with the header ${OWN_HEADER}.` };
  const type = header('content-type')?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/json'
    ? undefined
    : { status: 415, problem: 'What is sent here has to be JSON, and to say so in its content-type.' };
}

export const wrongMethod = (method: string): Refusal => ({ status: 405, problem: `${method} means nothing here.` });
