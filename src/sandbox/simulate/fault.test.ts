import { expect, test } from 'vitest';
import { ANYWHERE, faultsAt } from './call-faults.ts';
import { ANY, type Fault, faultIn, inWords, JUMPS_MS, WATCH_FAULTS } from './fault.ts';

const place = { job: 'sync', call: 'PATCH /api/v1/persistentvolumes/synced-1, or so', nth: 12 };
const CALLS = [place.call, 'GET /api', 'STORE write-if a', 'STORE read a', 'exec lvcreate', 'ASK a'];
const FAULTS: readonly Fault[] = [
  ...CALLS.flatMap((call) => faultsAt(call).map((kind): Fault => ({ at: 'call', ...place, call, kind }))),
  ...ANYWHERE.map((kind): Fault => ({ at: 'call', job: 'sync', call: ANY, nth: 3, kind })),
  ...WATCH_FAULTS.map((kind): Fault => ({ at: 'watch', ...place, kind })),
  ...JUMPS_MS.map((byMs): Fault => ({ at: 'time', job: 'sync', ms: 1_234, kind: 'jump', byMs })),
  { at: 'time', job: 'sync', ms: 0, kind: 'pause', forMs: 20_000 },
  { at: 'time', job: 'sync', ms: 60_001, kind: 'lease' },
];

test.each(FAULTS.map((fault) => [inWords(fault), fault] as const))('%s can be read back', (words, fault) => {
  expect(faultIn(words)).toEqual(fault);
});

test.each([
  '',
  'sync',
  'sync: conflict at GET /api, number 1',
  'sync: pause',
  'sync: nonsense at GET /, number 1',
  'sync: lease deleted',
])('%j is no fault', (words) => {
  expect(faultIn(words)).toBeUndefined();
});
