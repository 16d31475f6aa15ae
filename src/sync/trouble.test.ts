import { expect, test } from 'vitest';
import { Retry } from '../kit/controller/outcome.ts';
import { ApiError } from '../kit/kube/api-error.ts';
import { ConnectionError } from '../kit/kube/transport.ts';
import { KeyError } from './export/keys.ts';
import { ExportIsUnreadable } from './export/unreadable.ts';
import { StoreIsNotConfigured } from './store/open.ts';
import { StoreError } from './store/store.ts';
import { troubleOf } from './trouble.ts';

test.each([
  [new StoreError('unavailable', 'm'), 'StoreIsUnavailable', true],
  [new StoreError('denied', 'm'), 'StoreDeniesAccess', false],
  [new StoreError('noBucket', 'm'), 'BucketIsMissing', false],
  [new KeyError('keyIsMissing', 'SYNC_ENCRYPTION_KEY', 'm'), 'KeyIsMissing', false],
  [new ExportIsUnreadable('exportIsTooLarge', 'm'), 'ExportIsTooLarge', false],
  [new StoreIsNotConfigured('m'), 'EnvironmentIsIncomplete', false],
  [new Retry('m'), 'StoreHasChanged', true],
])('%s is told by its fact', (error, reason, isPassing) => {
  expect(troubleOf(error)).toEqual({ reason, message: 'm', isPassing });
});

test.each([
  [new ApiError({ request: 'POST /x', status: 500, reason: 'InternalError', detail: 'no' }), 'ClusterRefuses'],
  [new ConnectionError('gone', { mayHaveHappened: true }), 'ClusterDoesNotAnswer'],
])('%s is told as that of this cluster', (error, reason) => {
  const message = expect.stringMatching(/^the API server of this cluster .*\. It is tried again$/);
  expect(troubleOf(error)).toEqual({ reason, message, isPassing: true });
});

test('a defect of ours is nobody else’s trouble, and is thrown on', () => {
  expect(troubleOf(new TypeError('m'))).toBeUndefined();
  expect(troubleOf('m')).toBeUndefined();
});
