/** Flags that say where to listen, written as Go programs write it: `:8080`, `127.0.0.1:8080`, `[::1]:8080`. */
import { type BindAddress, parseBindAddress } from '../../kit/observe/bind-address.ts';
import type { Kind } from './flag.ts';

/** `0` means that nothing listens, as in controller-runtime; so does the empty text, unless the flag takes that for not given. */
export const bindAddress: Kind<BindAddress | 'off'> = {
  placeholder: 'address',
  allowed: 'host:port, :port for every interface, or 0 for none',
  example: ':8080',
  parse: (text) => parseBindAddress(text) ?? 'off',
};
