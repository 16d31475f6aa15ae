import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deviceNumber, parseDeviceNumber } from './device-number.ts';

it('takes every number apart that the C library can put together', () => {
  const uint32 = fc.bigInt({ min: 0n, max: 0xffffffffn });
  fc.assert(
    fc.property(uint32, uint32, (major, minor) => {
      expect(deviceNumber(makedev(major, minor))).toBe(`${major}:${minor}`);
    }),
  );
});

it('takes nothing for a device number but two decimal numbers', () => {
  expect(parseDeviceNumber('259:1048575')).toBe('259:1048575');
  for (const text of ['', '8', '8:', ':1', '8:01', '8:0x1', ' 8:1', '8:1\n', '8:1:2', '-8:1', '../8:1'])
    expect(parseDeviceNumber(text)).toBeUndefined();
});

/** As in gnu_dev_makedev(3). */
function makedev(major: bigint, minor: bigint): bigint {
  return ((major & 0xfffn) << 8n) | ((major & 0xfffff000n) << 32n) | (minor & 0xffn) | ((minor & 0xffffff00n) << 12n);
}
