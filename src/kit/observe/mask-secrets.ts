/**
 * The last net under secrets: masks what looks like one in a finished line of JSON, whatever object it came from. The first rule
 * stays that nobody logs a secret.
 */

const MASK = '[masked]';

/** Fields whose text is never shown, whatever holds them. */
const SECRET_FIELDS = [
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'password',
  'passphrase',
  'token',
  'bearerToken',
  'accessToken',
  'access_token',
  'refresh_token',
  'id_token',
  'sessionToken',
  'clientSecret',
  'client_secret',
  'secretKey',
  'secretAccessKey',
  'accountKey',
  'connectionString',
  'client-key-data',
];

/** `"name":"…"`, also inside of a text that is itself quoted JSON (`\"name\":\"…\"`). */
const FIELD = new RegExp(`("(?:${SECRET_FIELDS.join('|')})":)"(?:[^"\\\\]|\\\\.)*"`, 'gi');
const QUOTED_FIELD = new RegExp(`(\\\\"(?:${SECRET_FIELDS.join('|')})\\\\":)\\\\"[^"\\\\]*\\\\"`, 'gi');
const CREDENTIALS = /\b(Bearer|Basic) +[A-Za-z0-9._~+/-]{8,}=*/g;
const JSON_WEB_TOKEN = /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g;
const URL_PASSWORD = /(:\/\/[^\s"/@:]*):[^\s"/@]+@/g;
const SIGNATURE_IN_URL = /([?&](?:sig|X-Amz-Signature|X-Amz-Security-Token)=)[^&\s"\\]+/gi;
const PRIVATE_KEY = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----(?:[^"\\]|\\.)*/g;

export function maskSecrets(line: string): string {
  return line
    .replace(FIELD, `$1"${MASK}"`)
    .replace(QUOTED_FIELD, `$1\\"${MASK}\\"`)
    .replace(CREDENTIALS, `$1 ${MASK}`)
    .replace(JSON_WEB_TOKEN, MASK)
    .replace(URL_PASSWORD, `$1:${MASK}@`)
    .replace(SIGNATURE_IN_URL, `$1${MASK}`)
    .replace(PRIVATE_KEY, `-----BEGIN $1----- ${MASK}`);
}
