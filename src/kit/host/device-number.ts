/** The kernel's number of a device, `MAJOR:MINOR`, spelled as /proc and /sys spell it. */

export type DeviceNumber = `${number}:${number}`;

/** Takes apart what stat(2) gives as `st_dev` or `st_rdev`. */
export function deviceNumber(encoded: bigint): DeviceNumber {
  const major = ((encoded >> 8n) & 0xfffn) | ((encoded >> 32n) & ~0xfffn);
  const minor = (encoded & 0xffn) | ((encoded >> 12n) & ~0xffn & 0xffffffffn);
  return `${Number(major)}:${Number(minor)}`;
}

export function parseDeviceNumber(text: string): DeviceNumber | undefined {
  return isDeviceNumber(text) ? text : undefined;
}

function isDeviceNumber(text: string): text is DeviceNumber {
  return /^(0|[1-9]\d{0,9}):(0|[1-9]\d{0,9})$/.test(text);
}
