import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError, allowed, apiErrorFrom, apiErrorFromStatus, hasReason, withoutRequest } from './api-error.ts';

const statusBody = (fields: object) => JSON.stringify({ kind: 'Status', apiVersion: 'v1', ...fields });

describe('the error of an answer', () => {
  test.each([
    [400, 'BadRequest'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'NotFound'],
    [405, 'MethodNotAllowed'],
    [406, 'NotAcceptable'],
    [409, 'Conflict'],
    [410, 'Gone'],
    [413, 'RequestEntityTooLarge'],
    [415, 'UnsupportedMediaType'],
    [422, 'Invalid'],
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
    [502, 'InternalError'],
    [503, 'ServiceUnavailable'],
    [504, 'Timeout'],
    [301, 'Unknown'],
    [418, 'Unknown'],
  ])('of status %d without more is %s', (status, reason) => {
    expect(apiErrorFrom('GET /x', status, '')).toMatchObject({ status, reason, name: 'ApiError' });
  });

  test.each([
    [409, 'AlreadyExists'],
    [410, 'Expired'],
    [500, 'ServerTimeout'],
    [404, 'NotFound'],
  ])('of status %d with the reason %s has that reason', (code, reason) => {
    expect(apiErrorFrom('GET /x', code, statusBody({ code, reason }))).toMatchObject({ status: code, reason });
  });

  test('with a reason that we do not know has that of its status', () => {
    expect(apiErrorFrom('GET /x', 409, statusBody({ code: 409, reason: 'SomethingNew' })).reason).toBe('Conflict');
  });

  test('says what was asked, what was answered and why', () => {
    const causes = [{ reason: 'FieldValueInvalid', field: 'spec.size', message: 'must be positive' }];
    const body = statusBody({ code: 422, reason: 'Invalid', message: 'Pool "a" is invalid', details: { causes } });
    const error = apiErrorFrom('PUT /pools/a', 422, body);
    expect(error.message).toBe('PUT /pools/a: 422 Invalid: Pool "a" is invalid');
    expect(error).toMatchObject({ request: 'PUT /pools/a', detail: 'Pool "a" is invalid', causes });
  });

  test.each([
    ['<html>bad gateway</html>', '<html>bad gateway</html>'],
    ['', 'the server gave no message'],
    ['{"kind":"Pod"}', '{"kind":"Pod"}'],
    ['null', 'null'],
    ['x'.repeat(10_000), 'x'.repeat(200)],
  ])('tells the text of something that is no API server, but not all of it', (body, detail) => {
    expect(apiErrorFrom('GET /x', 502, body).detail).toBe(detail);
  });

  test.each([
    ['7', '', 7_000],
    ['0', '', 0],
    ['Wed, 21 Oct 2026 07:28:00 GMT', '', undefined],
    ['-5', '', undefined],
    [undefined, statusBody({ details: { retryAfterSeconds: 3 } }), 3_000],
    ['7', statusBody({ details: { retryAfterSeconds: 3 } }), 7_000],
    [undefined, statusBody({ details: { retryAfterSeconds: 0 } }), undefined],
  ])('with the header %o and the body %s wants to be asked again after %o ms', (header, body, expected) => {
    expect(apiErrorFrom('GET /x', 429, body, header).retryAfterMs).toBe(expected);
  });
});

describe('the error of an event', () => {
  test('is read like that of an answer', () => {
    const status = { code: 410, reason: 'Expired', message: 'too old resource version' };
    expect(apiErrorFromStatus('watch /pods', status)).toMatchObject({ status: 410, reason: 'Expired' });
  });

  test('that says nothing is one of the server', () => {
    expect(apiErrorFromStatus('watch /pods', {})).toMatchObject({ status: 500, reason: 'InternalError' });
  });
});

describe('asking for a reason', () => {
  test('is true of an API error with one of the reasons, and of nothing else', () => {
    const error = new ApiError({ request: 'GET /x', status: 404, reason: 'NotFound', detail: 'x' });
    expect(hasReason(error, 'Conflict', 'NotFound')).toBe(true);
    expect(hasReason(error, 'Conflict')).toBe(false);
    expect(hasReason({ reason: 'NotFound' }, 'NotFound')).toBe(false);
    expect(hasReason(undefined, 'NotFound')).toBe(false);
  });
});

describe('what may be forbidden', () => {
  const refused = (status: number) => Promise.reject(apiErrorFrom('GET /x', status, ''));

  test('is what was read, when it is not', async () => {
    await expect(allowed(Promise.resolve(7), () => expect.fail())).resolves.toBe(7);
  });

  test('is nothing, and told, when it is', async () => {
    const told: ApiError[] = [];
    await expect(allowed(refused(403), (error) => told.push(error))).resolves.toBeUndefined();
    expect(told).toMatchObject([{ reason: 'Forbidden' }]);
  });

  test('fails as it did, when it fails for any other reason', async () => {
    await expect(allowed(refused(500), () => expect.fail())).rejects.toMatchObject({ reason: 'InternalError' });
  });
});

test('how the server was asked is no part of what it said', () => {
  const said = 'pods is forbidden: User "u" cannot watch resource "pods"';
  expect(withoutRequest(`GET /api/v1/pods?watch=true: 403 Forbidden: ${said}`)).toBe(said);
  expect(withoutRequest('nobody answers')).toBe('nobody answers');
});

/** Also the fields of a Status, with anything in them. */
const bodies = fc.oneof(
  fc.string(),
  fc.json(),
  fc
    .record(
      {
        code: fc.jsonValue(),
        reason: fc.oneof(fc.jsonValue(), fc.constantFrom('Conflict', 'constructor', '__proto__')),
        message: fc.jsonValue(),
        details: fc.oneof(
          fc.jsonValue(),
          fc.record({ retryAfterSeconds: fc.jsonValue(), causes: fc.jsonValue() }, { requiredKeys: [] }),
        ),
      },
      { requiredKeys: [] },
    )
    .map((status) => JSON.stringify({ kind: 'Status', ...status })),
);

test('whatever is answered, the error is one that can be switched on, told and waited for', () => {
  fc.assert(
    fc.property(
      bodies,
      fc.integer({ min: 400, max: 599 }),
      fc.option(fc.string(), { nil: undefined }),
      (body, code, after) => {
        const { status, reason, detail, causes, retryAfterMs } = apiErrorFrom('GET /x', code, body, after);
        expect(Number.isInteger(status)).toBe(true);
        expect(reason).toMatch(/^[A-Z][A-Za-z]+$/);
        expect(typeof detail).toBe('string');
        expect(causes.every((cause) => typeof cause === 'object' && cause !== null)).toBe(true);
        expect(retryAfterMs === undefined || (Number.isFinite(retryAfterMs) && retryAfterMs >= 0)).toBe(true);
      },
    ),
  );
});
