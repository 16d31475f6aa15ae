/** Addresses to listen on, written as in Go: `:8080`, `127.0.0.1:8080`, `[::1]:0`. */
import { isIPv6 } from 'node:net';
import { InvalidValue } from '../invalid-value.ts';

export interface BindAddress {
  /** Absent for all interfaces. */
  readonly host?: string;
  /** 0 for any that is free. */
  readonly port: number;
}

const SHAPE = /^(?:\[(?<v6>[^\]]*)\]|(?<host>[^:[\]]*)):(?<port>\d{1,5})$/;

/** Nothing for `0` and for an empty text: whoever writes that wants nothing to listen. */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === '' || text === '0') return undefined;
  const { v6, host = '', port } = SHAPE.exec(text)?.groups ?? {};
  const number = Number(port);
  if (port === undefined) throw fault(text, 'it must end in a colon and a port, with an IPv6 address in brackets');
  if (number > 65_535) throw fault(text, 'there are no ports above 65535');
  if (v6 !== undefined && !isIPv6(v6)) throw fault(text, 'only an IPv6 address may be in brackets');
  const name = v6 ?? host;
  return name === '' ? { port: number } : { host: name, port: number };
}

const fault = (text: string, why: string): InvalidValue =>
  new InvalidValue('address to listen on', text, `${why}; write :8080, 127.0.0.1:8080 or [::1]:8080, or 0 for none`);

/** The other way round. */
export const formatBindAddress = ({ host = '', port }: BindAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
