import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../../../test/arbitraries/any-character.ts';
import { WIPE_METHODS } from '../contract.ts';
import type { LedgerEntry } from './entry.ts';
import { formatLedger, LedgerIsNewer, type LedgerState, parseLedger } from './format.ts';

const at = fc
  .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());
const method = fc.constantFrom(...WIPE_METHODS);
const bytes = fc.maxSafeNat();
const text = fc.string({ unit: anyCharacter });
const optional = <T, K extends keyof T>(model: { [P in keyof T]: fc.Arbitrary<T[P]> }, ...requiredKeys: K[]) =>
  fc.record(model, { requiredKeys, noNullPrototype: true });
const identity = optional(
  {
    sizeBytes: bytes,
    wwid: text,
    serial: text,
    model: text,
    partition: fc.record({ index: fc.nat(), startBytes: bytes }, { noNullPrototype: true }),
  },
  'sizeBytes',
);
const volume = optional(
  { name: text, uid: text, phase: text, claim: text, resourceVersion: text, cluster: text },
  'name',
  'uid',
  'phase',
  'resourceVersion',
  'cluster',
);
const wipe = optional({ method, seed: text, startedAt: at, doneBytes: bytes }, 'method', 'startedAt', 'doneBytes');
const receipt = fc.record(
  {
    method,
    bytes,
    seconds: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    verified: fc.constantFrom('sample' as const, 'all' as const),
    writtenBytes: fc.nat(),
    verifiedBytes: fc.nat(),
    at,
  },
  { noNullPrototype: true },
);
const clean = optional({ receipt, boot: text, diskSequence: text }, 'receipt', 'boot');
const entry: fc.Arbitrary<LedgerEntry> = optional(
  { identity, path: text, boot: text, diskSequence: text, volume, wipe, clean },
  'identity',
  'path',
  'boot',
);
const state: fc.Arbitrary<LedgerState> = fc.record(
  {
    since: at,
    inherited: fc.array(text).map((uids) => new Set(uids)),
    devices: fc
      .dictionary(
        text.map((name) => `wwid:${name}`),
        entry,
        { noNullPrototype: true },
      )
      .map((devices) => new Map(Object.entries(devices))),
    usedApprovals: fc.array(text).map((approvals) => new Set(approvals)),
  },
  { noNullPrototype: true },
);

const whole = (): LedgerState => ({
  since: '2026-01-01T00:00:00.000Z',
  inherited: new Set(['uid-1']),
  devices: new Map([['wwid:naa.1', { identity: { sizeBytes: 1, wwid: 'naa.1' }, path: '/dev/a', boot: 'b' }]]),
  usedApprovals: new Set(['a']),
});
const edited = (edit: (file: Record<string, unknown>) => unknown) => {
  const file = JSON.parse(formatLedger(whole()));
  return JSON.stringify(edit(file) ?? file);
};

describe('the file of the ledger', () => {
  test('is read as it was written, whatever is in it', () => {
    fc.assert(
      fc.property(state, (it) => {
        expect(parseLedger(formatLedger(it))).toEqual(it);
      }),
    );
  });

  test('has a line for each device', () => {
    expect(formatLedger(whole())).toBe(`{
  "version": 1,
  "since": "2026-01-01T00:00:00.000Z",
  "inherited": ["uid-1"],
  "devices": {
    "wwid:naa.1": {"identity":{"sizeBytes":1,"wwid":"naa.1"},"path":"/dev/a","boot":"b"}
  },
  "usedApprovals": ["a"]
}
`);
  });

  test('that was cut off anywhere is not read', () => {
    const text = formatLedger(whole());
    for (let length = 0; length < text.trimEnd().length; length += 1)
      expect(() => parseLedger(text.slice(0, length))).toThrow();
  });

  test.each<[string, string]>([
    ['is not an object', '[]'],
    ['is full of zeroes', '\0'.repeat(100)],
    ['has no version', edited((file) => void delete file.version)],
    ['has a version that is no number', edited((file) => ({ ...file, version: '2' }))],
    ['has a version that never was', edited((file) => ({ ...file, version: 0 }))],
    ['has a field that we do not know', edited((file) => ({ ...file, more: 1 }))],
    [
      'has a device without an identity',
      edited((file) => ({ ...file, devices: { x: { path: '/dev/a', boot: 'b' } } })),
    ],
    [
      'has a size that is no size',
      edited((file) => ({ ...file, devices: { x: { identity: { sizeBytes: -1 }, path: '', boot: '' } } })),
    ],
    ['does not say since when', edited((file) => ({ ...file, since: 'yesterday' }))],
  ])('that %s is not read, and is not taken for one of a newer version', (_what, text) => {
    expect(() => parseLedger(text)).toThrow(Error);
    expect(() => parseLedger(text)).not.toThrow(LedgerIsNewer);
  });

  test('of a newer version is known for that, whatever else is in it', () => {
    for (const more of [{}, { devices: [] }])
      expect(() => parseLedger(JSON.stringify({ version: 2, ...more }))).toThrow(
        new LedgerIsNewer('it is of version 2, and this program knows 1'),
      );
  });
});
