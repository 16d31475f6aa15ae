import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { explainAzure } from './azure-failure.ts';
import { explainS3 } from './s3-failure.ts';

const s3Error = (status: number | undefined, name: string, message = 'in its words') =>
  Object.assign(new Error(message), { name, $metadata: status === undefined ? {} : { httpStatusCode: status } });

test.each([
  [403, 'AccessDenied', 'denied'],
  [403, 'InvalidAccessKeyId', 'denied'],
  [403, 'SignatureDoesNotMatch', 'denied'],
  [403, 'UnknownError', 'denied'],
  [400, 'ExpiredToken', 'denied'],
  [401, 'Unauthorized', 'denied'],
  [400, 'AuthorizationHeaderMalformed', 'denied'],
  [403, 'RequestTimeTooSkewed', 'unavailable'],
  [404, 'NoSuchBucket', 'noBucket'],
  [404, 'NotFound', 'noBucket'],
  [301, 'PermanentRedirect', 'noBucket'],
  [400, 'InvalidBucketName', 'noBucket'],
  [412, 'PreconditionFailed', 'preconditionFailed'],
  [404, 'NoSuchKey', 'preconditionFailed'],
  [409, 'ConditionalRequestConflict', 'preconditionFailed'],
  [501, 'NotImplemented', 'unsupported'],
  [400, 'InvalidArgument', 'unsupported'],
  [400, 'RequestTimeout', 'unavailable'],
  [429, 'TooManyRequests', 'unavailable'],
  [500, 'InternalError', 'unavailable'],
  [503, 'SlowDown', 'unavailable'],
  [502, 'UnknownError', 'unavailable'],
])('the answer %i %s of S3 is %s', (status, name, fault) => {
  expect(explainS3(s3Error(status, name))).toMatchObject({ fault, why: expect.stringContaining(String(status)) });
});

test('a bucket of another region is told with the variable that names it', () => {
  expect(explainS3(s3Error(301, 'PermanentRedirect')).why).toContain('AWS_REGION');
});

test('that there are no credentials anywhere is told with the variables for them', () => {
  expect(explainS3(s3Error(undefined, 'CredentialsProviderError'))).toMatchObject({
    fault: 'denied',
    why: expect.stringContaining('OBJECT_STORAGE_ACCOUNT'),
  });
});

const azureError = (status: number, code: string) =>
  Object.assign(new Error('in its words\nRequestId: 1'), { statusCode: status, code });

test.each([
  [403, 'AuthenticationFailed', 'denied'],
  [403, 'AuthorizationFailure', 'denied'],
  [400, 'InvalidAuthenticationInfo', 'denied'],
  [409, 'BlobImmutableDueToPolicy', 'denied'],
  [412, 'LeaseIdMissing', 'denied'],
  [404, 'ContainerNotFound', 'noBucket'],
  [409, 'ContainerBeingDeleted', 'unavailable'],
  [412, 'ConditionNotMet', 'preconditionFailed'],
  [409, 'BlobAlreadyExists', 'preconditionFailed'],
  [404, 'BlobNotFound', 'preconditionFailed'],
  [400, 'UnsupportedHeader', 'unsupported'],
  [500, 'OperationTimedOut', 'unavailable'],
  [503, 'ServerBusy', 'unavailable'],
])('the answer %i %s of Azure is %s', (status, code, fault) => {
  const why = `the store answers ${status} ${code} ("in its words")`;
  expect(explainAzure(azureError(status, code))).toEqual({ fault, why });
});

test.each([
  ['ECONNREFUSED', 'connection refused'],
  ['ENOTFOUND', 'its name is not known here'],
  ['ECONNRESET', 'the connection broke'],
  ['ETIMEDOUT', 'timed out'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
])('%s is told as %s', (code, words) => {
  const error = Object.assign(new Error(`connect ${code}`), { code });
  for (const explain of [explainS3, explainAzure])
    expect(explain(error)).toMatchObject({ fault: 'unavailable', why: expect.stringContaining(words) });
});

test('an answer that makes no sense is told as one, in quotes and cut short', () => {
  const { fault, why } = explainS3(new SyntaxError(`unexpected \u001b[31m${'x'.repeat(500)}`));
  expect(fault).toBe('unavailable');
  expect(why).toContain('its answer is not understood');
  expect(why.length).toBeLessThan(200);
  expect(why).not.toContain('\u001b');
});

test('what a server says is quoted and cut short', () => {
  const { why } = explainS3(s3Error(403, 'AccessDenied', `\u001b[31m${'x'.repeat(500)}`));
  expect(why.length).toBeLessThan(200);
  expect(why).not.toContain('\u001b');
});

test('a password in the address of a proxy is not told', () => {
  const { why } = explainS3(new Error('cannot use http://user:s3cret@proxy.test:3128'));
  expect(why).toContain('http://…@proxy.test:3128');
  expect(why).not.toContain('s3cret');
});

const FAULTS = ['denied', 'noBucket', 'preconditionFailed', 'unavailable', 'unsupported'];
const words = fc.oneof(fc.string(), fc.constantFrom('constructor', 'toString', '__proto__', 'NoSuchBucket'));

test('whatever a store answers has a meaning that can be acted upon, and is told in one line', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999 }), words, fc.string(), (status, name, message) => {
      const azure = Object.assign(new Error(message), { statusCode: status, code: name });
      for (const { fault, why } of [explainS3(s3Error(status, name, message)), explainAzure(azure)]) {
        expect(FAULTS).toContain(fault);
        expect(why).not.toContain('\n');
      }
    }),
  );
});

test('whatever is thrown in the place of an answer has a meaning, too', () => {
  fc.assert(
    fc.property(fc.anything(), (thrown) => {
      for (const { fault } of [explainS3(thrown), explainAzure(thrown)]) expect(FAULTS).toContain(fault);
    }),
  );
});
