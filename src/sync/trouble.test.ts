import { expect, test } from 'vitest';
import { Retry } from '../kit/controller/outcome.ts';
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

test('a defect of ours is nobody else’s trouble, and is thrown on', () => {
  expect(troubleOf(new TypeError('m'))).toBeUndefined();
  expect(troubleOf('m')).toBeUndefined();
});
