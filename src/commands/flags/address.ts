/** Flags that say where to listen, written as Go programs write it: `:8080`, `127.0.0.1:8080`, `[::1]:8080`. */
import { isIP, isIPv6 } from 'node:net';
import { InvalidValue } from '../../kit/invalid-value.ts';
import type { Kind } from './flag.ts';

export interface Address {
  /** Left out, it means every interface. */
  readonly host?: string;
  /** `0` lets the system choose. */
  readonly port: number;
}

const GREATEST_PORT = 65_535;
const HOST_NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;

export const address: Kind<Address> = {
  placeholder: 'address',
  allowed: 'host:port, or :port for every interface',
  example: ':8080',
  parse(text) {
    const [, inBrackets, plain = '', digits = ''] = /^(?:\[(.*)\]|([^:]*)):([0-9]{1,5})$/.exec(text) ?? fail(text);
    const port = Number(digits);
    if (port > GREATEST_PORT) throw new InvalidValue('address', text, `the port is above ${GREATEST_PORT}`);
    if (inBrackets !== undefined && !isIPv6(inBrackets)) {
      throw new InvalidValue('address', text, 'what stands in brackets is not an IPv6 address');
    }
    const host = inBrackets ?? plain;
    if (host === '') return { port };
    if (isIP(host) === 0 && !HOST_NAME.test(host)) throw new InvalidValue('address', text, 'it has no valid host');
    return { host, port };
  },
};

/** As controller-runtime reads its bind addresses: `0` means that nothing listens. */
export const addressOrOff: Kind<Address | 'off'> = {
  ...address,
  allowed: `${address.allowed}, or 0 to switch it off`,
  parse: (text) => (text === '0' ? 'off' : address.parse(text)),
};

function fail(text: string): never {
  if (isIPv6(text)) throw new InvalidValue('address', text, 'an IPv6 address needs brackets and a port');
  throw new InvalidValue('address', text, text.includes(':') ? 'the port is not a number' : 'it has no port');
}
