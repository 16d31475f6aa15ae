import { describe, expect, test } from 'vitest';
import { npmPackages } from './npm-packages.ts';
import { spdx } from './sbom.ts';

const MADE = { version: '1.2.3', nodeVersion: '26.0.0', epoch: 1_700_000_000 };
const DEBIAN = {
  name: 'libstdc++6',
  version: '14.2.0-19',
  architecture: 'amd64',
  source: 'gcc-14',
  file: '/tmp/a.deb',
  control: '',
};

interface Document {
  readonly packages: readonly { readonly SPDXID: string; readonly name: string; readonly versionInfo: string }[];
  readonly [field: string]: unknown;
}
const billOf = (...debian: (typeof DEBIAN)[]): Document => JSON.parse(spdx('node', debian, npmPackages(), MADE));

describe('the bill of materials', () => {
  test('has the packages of Debian, Node.js and the program, each once and related', () => {
    const bill = billOf(DEBIAN);
    const names = bill.packages.map(({ name, versionInfo }) => `${name} ${versionInfo}`);
    expect(names).toEqual(expect.arrayContaining(['holdfast 1.2.3', 'node 26.0.0', 'libstdc++6 14.2.0-19']));
    const ids = bill.packages.map(({ SPDXID }) => SPDXID);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^SPDXRef-[A-Za-z0-9.-]+$/.test(id))).toEqual([]);
    expect(bill.relationships).toHaveLength(ids.length);
  });

  test('is the same for the same, to the letter, and says the time that it is told', () => {
    expect(billOf(DEBIAN)).toEqual(billOf(DEBIAN));
    expect(billOf()).toMatchObject({ creationInfo: { created: '2023-11-14T22:13:20Z' } });
    expect(billOf().documentNamespace).not.toBe(billOf(DEBIAN).documentNamespace);
  });
});
