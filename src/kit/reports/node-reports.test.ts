import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { mutated } from '../../../test/arbitraries/mutation.ts';
import { NodeReports, type ReportMap, reportHead } from './node-reports.ts';

const reports = new NodeReports({
  job: 'sample',
  rows: 'things',
  leftOutFirst: 'details',
  schema: z.object({
    node: z.string(),
    at: z.iso.datetime(),
    version: z.string(),
    leftOut: z.int().nonnegative(),
    things: z.array(z.object({ name: z.string(), details: z.string().optional() })),
  }),
});

const report = (things: readonly { readonly name: string; readonly details?: string }[] = [{ name: 'a' }]) => ({
  node: 'node-1',
  at: '2026-01-01T00:00:00.000Z',
  version: '0.1.0',
  leftOut: 0,
  things,
});

const changed = (change: object): ReportMap => ({
  ...reports.mapOf(report(), 'storage'),
  data: { 'report.json': JSON.stringify({ ...report(), ...change }) },
});

describe('a report', () => {
  test('is read as it was written, and is named after its job and node', () => {
    const map = reports.mapOf(report(), 'storage');
    expect(map.metadata).toEqual({
      name: 'holdfast-sample-node-1',
      namespace: 'storage',
      labels: { 'holdfast.dev/report': 'sample' },
    });
    expect(reports.labelSelector).toBe('holdfast.dev/report=sample');
    expect(reports.parse(map)).toEqual(report());
  });

  test('that does not fit has fewer rows, and says how many it leaves out', () => {
    const things = Array.from({ length: 1_999 }, (_, index) => ({ name: `${index} ${'x'.repeat(1_000)}` }));
    const map = reports.mapOf(report(things), 'storage');
    expect(Buffer.byteLength(map.data?.['report.json'] ?? '')).toBeLessThanOrEqual(900_000);
    const { things: read = [], leftOut = 0 } = reports.parse(map) ?? {};
    expect(read.length).toBeGreaterThan(100);
    expect(read.length + leftOut).toBe(1_999);
    expect(read[0]).toEqual(things[0]);
  });

  test('that does not fit has no details before it has fewer rows', () => {
    const withDetails = (details: string) =>
      Array.from({ length: 1_999 }, (_, index) => ({ name: `${index}`, details }));
    const small = report(withDetails('few'));
    expect(reports.parse(reports.mapOf(small, 'storage'))).toEqual(small);
    const { things = [], leftOut } =
      reports.parse(reports.mapOf(report(withDetails('x'.repeat(1_000))), 'storage')) ?? {};
    expect([things.length, leftOut, things[0]]).toEqual([1_999, 0, { name: '0' }]);
  });

  test('has so many rows at most that people can still read it', () => {
    const things = Array.from({ length: 2_001 }, () => ({ name: 'a' }));
    expect(reports.parse(reports.mapOf(report(things), 'storage'))).toMatchObject({ leftOut: 1 });
  });

  test('to which a newer agent adds something is read without that', () => {
    expect(reports.parse(changed({ weather: 'fine', things: [{ name: 'a', colour: 'red' }] }))).toEqual(report());
  });
});

const name = 'holdfast-sample-node-1';
test.each<[string, ReportMap]>([
  ['no data', { metadata: { name } }],
  ['another key', { metadata: { name }, data: { 'report.yaml': '{}' } }],
  ['no JSON', { metadata: { name }, data: { 'report.json': '{' } }],
  ['JSON that is no object', { metadata: { name }, data: { 'report.json': 'null' } }],
  ['the name of another node', { ...reports.mapOf(report(), 'storage'), metadata: { name: 'holdfast-sample-node-2' } }],
  ['a time that is none', changed({ at: 'yesterday' })],
  ['rows that are none', changed({ things: 'many' })],
])('a ConfigMap with %s is no report', (_what, map) => {
  expect(reports.parse(map)).toBeUndefined();
});

test('whatever somebody writes into a ConfigMap, it is a whole report of the node that its name says, or none', () => {
  const text = JSON.stringify(report());
  const anything = fc.oneof(fc.string(), fc.json(), mutated(fc.constant(text), '0123456789{}[]",:-a'));
  fc.assert(
    fc.property(anything, fc.constantFrom(name, 'holdfast-sample-node-2', ''), (data, of) => {
      const read = reports.parse({ metadata: { name: of }, data: { 'report.json': data } });
      if (!read) return;
      expect(of).toBe(reports.nameOf(read.node));
      expect(read.things.every((thing) => typeof thing.name === 'string')).toBe(true);
    }),
  );
});

test('of a report of any job and version is read what all reports say', () => {
  const map = (data: string, labels: Record<string, string> = { 'holdfast.dev/report': 'later' }) => ({
    metadata: { name: 'x', labels },
    data: { 'report.json': data },
  });
  const said = { node: 'node-1', at: '2026-01-01T00:00:00Z', version: '9', more: [1] };
  expect(reportHead(map(JSON.stringify(said)))).toEqual({ job: 'later', node: 'node-1', at: said.at, version: '9' });
  expect(reportHead(map(JSON.stringify({ node: 7 })))).toEqual({ job: 'later' });
  expect(reportHead(map('nothing'))).toEqual({ job: 'later' });
  expect(reportHead(map('null'))).toEqual({ job: 'later' });
  expect(reportHead(map(JSON.stringify(said), {}))).toBeUndefined();
});
