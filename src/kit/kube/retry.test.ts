import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apiErrorFrom } from './api-error.ts';
import { decideRetry, mayHaveHappened } from './retry.ts';
import { ConnectionError } from './transport.ts';

const answered = (status: number, retryAfter?: string) => apiErrorFrom('PUT /x', status, '', retryAfter);
const refused = new ConnectionError('no connection', { mayHaveHappened: false });
const broken = new ConnectionError('the connection broke', { mayHaveHappened: true });
const decide = (failure: unknown, repeatable: boolean, number = 1, chance = 0.5) =>
  decideRetry(failure, { number, repeatable }, () => chance);

describe('a failed request', () => {
  test.each([
    ['that was refused for load', answered(429)],
    ['for which no connection was made', refused],
  ])('%s is sent again, whatever it is', (_, failure) => {
    expect(decide(failure, false).retry).toBe(true);
    expect(decide(failure, true).retry).toBe(true);
  });

  test.each([
    ['whose connection broke', broken],
    ['that the server failed at', answered(500)],
    ['that found no server behind a proxy', answered(502)],
    ['for which the server was not available', answered(503)],
    ['that timed out', answered(504)],
  ])('%s is sent again only when that is safe', (_, failure) => {
    expect(decide(failure, false).retry).toBe(false);
    expect(decide(failure, true).retry).toBe(true);
  });

  test.each([400, 401, 403, 404, 405, 409, 410, 413, 415, 422])('with status %d is not sent again', (status) => {
    expect(decide(answered(status), true).retry).toBe(false);
  });

  test.each([new Error('a defect'), undefined, new DOMException('stop', 'AbortError')])(
    'that failed for another reason is not sent again: %s',
    (failure) => {
      expect(decide(failure, true).retry).toBe(false);
    },
  );

  test('is sent five times at the most', () => {
    expect([1, 2, 3, 4, 5, 6].map((number) => decide(refused, true, number).retry)).toEqual([
      ...[true, true, true, true],
      ...[false, false],
    ]);
  });

  test('waits as long as the server asked for, and not at all for a server that wants to be left alone', () => {
    expect(decide(answered(429, '3'), false)).toEqual({ retry: true, afterMs: 3_000 });
    expect(decide(answered(503, '30'), true)).toEqual({ retry: true, afterMs: 30_000 });
    expect(decide(answered(429, '31'), false)).toEqual({ retry: false });
  });

  test('waits longer each time when the server asked for nothing', () => {
    const waits = [1, 2, 3, 4].map((number) => decide(refused, true, number, 1));
    expect(waits).toEqual([100, 200, 400, 800].map((afterMs) => ({ retry: true, afterMs })));
  });

  test('that may have happened is never sent again unless that is safe', () => {
    const failure = fc.oneof(
      fc.boolean().map((happened) => new ConnectionError('x', { mayHaveHappened: happened })),
      fc.integer({ min: 300, max: 599 }).map((status) => answered(status, '1')),
    );
    fc.assert(
      fc.property(failure, fc.integer({ min: 1, max: 9 }), (each, number) => {
        if (mayHaveHappened(each)) expect(decide(each, false, number)).toEqual({ retry: false });
      }),
    );
  });
});
