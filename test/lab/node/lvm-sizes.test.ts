/** Sizes of volumes as people write them, and what LVM really allocates for each. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { roundUpToExtents } from '../../../src/lvm/size.ts';
import { type QuantityParts, quantityParts, spell } from '../../arbitraries/quantity-text.ts';
import { LvmNode, MIB, PREFIX } from './lvm-node.ts';

/** Smaller than LVM's own choice, so that many volumes find room. */
const EXTENT_BYTES = BigInt(MIB);

let node: LvmNode;
beforeAll(async () => {
  node = await LvmNode.start([64 * MIB, 512 * MIB]);
  await node.guest.output('vgcreate', '--yes', '--physicalextentsize', '1m', 'small_extents', '/dev/ubdb');
  await node.agent();
}, 600_000);
afterAll(() => node?.[Symbol.asyncDispose]());

/** Of each as many bytes as a person would count, by other means than the program's own. */
const SIZES: readonly (readonly [string, bigint])[] = [
  ['1048576', 1_048_576n],
  ['1048577', 1_048_577n],
  ['2097151', 2_097_151n],
  ['3e6', 3_000_000n],
  ['3E6', 3_000_000n],
  ['4.5e6', 4_500_000n],
  ['1024Ki', 1_048_576n],
  ['1025Ki', 1_049_600n],
  ['1536Ki', 1_572_864n],
  ['2047.5Ki', 2_096_640n],
  ['2048.001Ki', 2_097_154n],
  ['1Mi', 1_048_576n],
  ['1.5Mi', 1_572_864n],
  ['2Mi', 2_097_152n],
  ['2.0000001Mi', 2_097_153n],
  ['7Mi', 7_340_032n],
  ['0.01Gi', 10_737_419n],
  ['0.00001Ti', 10_995_117n],
  ['1049k', 1_049_000n],
  ['2500k', 2_500_000n],
  ['2097.152k', 2_097_152n],
  ['2097.153k', 2_097_153n],
  ['1M', 1_000_000n],
  ['1.1M', 1_100_000n],
  ['5M', 5_000_000n],
  ['0.005G', 5_000_000n],
  ['0.00001T', 10_000_000n],
  ['1048576000m', 1_048_576n],
  ['1048576001m', 1_048_577n],
  ['3000000500m', 3_000_001n],
  ['5000000000000u', 5_000_000n],
  ['+6Mi', 6_291_456n],
];

/** How much a suffix makes of one, as Kubernetes has it: in billionths. */
const BILLIONTHS: Readonly<Record<string, bigint>> = {
  n: 1n,
  u: 1_000n,
  m: 1_000_000n,
  '': 10n ** 9n,
  k: 10n ** 12n,
  M: 10n ** 15n,
  G: 10n ** 18n,
  T: 10n ** 21n,
  P: 10n ** 24n,
  E: 10n ** 27n,
  ...Object.fromEntries(
    ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((each, index) => [each, (10n ** 9n) << BigInt(10 * (index + 1))]),
  ),
};

/** Whole bytes, rounded up, also counted by other means than the program's own. */
function bytesOf({ sign, whole, fraction, suffix }: QuantityParts): bigint {
  const power = /^[eE](-?\d+)$/.exec(suffix)?.[1];
  const exponent = BigInt(power ?? 0);
  const times = (power === undefined ? (BILLIONTHS[suffix] ?? 0n) : 10n ** 9n) * 10n ** (exponent > 0n ? exponent : 0n);
  const divisor = 10n ** (9n + BigInt(fraction.length) + (exponent < 0n ? -exponent : 0n));
  const product = BigInt(`${whole}${fraction}`) * times;
  return sign === '-' ? -1n : (product + divisor - 1n) / divisor;
}

/** As many as find room. A failure names the seed with which it comes again. */
const DRAWN = 32;
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const isMadeHere = (bytes: bigint): boolean => bytes >= EXTENT_BYTES && bytes <= 6n * EXTENT_BYTES;
const drawn = (): readonly (readonly [string, bigint])[] =>
  fc
    .sample(
      quantityParts.filter((parts) => isMadeHere(bytesOf(parts))),
      { numRuns: DRAWN, seed: SEED },
    )
    .map((parts) => [spell(parts), bytesOf(parts)]);

it.each([
  ['that people have chosen', SIZES],
  [`that chance has drawn (SEED=${SEED})`, drawn()],
])('each has what it asks for, in whole extents, and no more, of those %s', async (_, sizes) => {
  const named = sizes.map(([storage, bytes], index) => ({ name: `size-${index}`, storage, bytes }));
  await Promise.all(
    named.map(({ name, storage }) =>
      node.declare(name, { storage, annotations: { vg: 'small_extents', fsType: 'ext2' } }),
    ),
  );
  const volumes = await Promise.all(named.map(({ name }) => node.says(name, 'status', 'Processed')));
  const reported = await node.guest.output(
    ...['lvs', '--noheadings', '--units', 'b', '--nosuffix', '--options', 'lv_name,lv_size', 'small_extents'],
  );
  const allocated = new Map(reported.split('\n').map((line) => line.trim().split(/\s+/) as [string, string]));
  const found = named.map(({ name, storage }, index) => ({
    storage,
    lvs: BigInt(allocated.get(name) ?? -1),
    size: BigInt(volumes[index]?.metadata.annotations?.[`${PREFIX}size`] ?? -1),
  }));
  const wanted = named.map(({ storage, bytes }) => {
    const whole = roundUpToExtents(bytes, EXTENT_BYTES);
    return { storage, lvs: whole, size: whole };
  });
  expect(found).toEqual(wanted);
  for (const { bytes, storage } of named) {
    const whole = roundUpToExtents(bytes, EXTENT_BYTES);
    expect(whole >= bytes && whole - bytes < EXTENT_BYTES, storage).toBe(true);
  }
  for (const { name } of named) await node.delete(name);
  for (const { name } of named) await node.isGone(name);
});
