import { describe, expect, test } from 'vitest';
import { exportKey } from '../export/names.ts';
import { lastSeen } from './last-seen.ts';

const spec = { protectedCluster: 'Prod' };
const anExport = (sequence?: number, epoch = 1, cluster = 'prod') => ({
  key: exportKey(cluster, 1000 + (sequence ?? 0)),
  sha256: 'ab',
  ...(sequence !== undefined && { epoch, sequence }),
});
const restored = (...of: Parameters<typeof anExport>) => ({ ...anExport(...of), exportedAt: '2026-01-01T00:00:00Z' });

describe('what was seen last', () => {
  test('is nothing at first', () => {
    expect(lastSeen(spec, undefined)).toEqual({ hadPointer: false, newest: undefined });
  });

  test('is what was believed, also when only an earlier one was restored', () => {
    const seen = { cluster: 'prod', pointer: true, newest: anExport(7) };
    expect(lastSeen(spec, { seen, export: restored(5) })).toEqual({ hadPointer: true, newest: anExport(7) });
  });

  test.each([
    ['a later sequence', 9, 1],
    ['a higher epoch', 3, 2],
  ])('is what this cluster has exported itself since, of %s', (_what, sequence, epoch) => {
    const seen = { cluster: 'prod', pointer: true, newest: anExport(7) };
    const status = { seen, export: restored(sequence, epoch) };
    expect(lastSeen(spec, status).newest).toEqual(anExport(sequence, epoch));
  });

  test('is a pointer without any export', () => {
    expect(lastSeen(spec, { seen: { cluster: 'prod', pointer: true } })).toEqual({
      hadPointer: true,
      newest: undefined,
    });
  });

  test('is nothing of another cluster, not even that it had a pointer', () => {
    const seen = { cluster: 'staging', pointer: true, newest: anExport(7, 3, 'staging') };
    const status = { seen, pointerSeen: true, export: restored(5, 3, 'staging') };
    expect(lastSeen(spec, status)).toEqual({ hadPointer: false, newest: undefined });
    expect(lastSeen(spec, { seen: { cluster: 'staging', pointer: true }, pointerSeen: true }).hadPointer).toBe(false);
  });

  test('is read from what the status said before there was such a record', () => {
    expect(lastSeen(spec, { pointerSeen: true })).toMatchObject({ hadPointer: true });
    expect(lastSeen(spec, { export: restored(5) })).toEqual({ hadPointer: true, newest: anExport(5) });
    expect(lastSeen(spec, { export: restored() })).toEqual({ hadPointer: false, newest: anExport() });
  });
});
