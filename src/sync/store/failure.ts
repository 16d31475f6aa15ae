/** What people are told when an object store has not done what it was asked for: where, what, why, and what to do. */
import { quote } from '../../kit/invalid-value.ts';
import { StoreError, type StoreFault } from './store.ts';

export interface Attempt {
  /** As in "cannot read …". */
  readonly doing: 'read' | 'look at' | 'write' | 'list' | 'remove';
  /** A key, or the prefix of a list. */
  readonly key: string;
  /** Of the store. */
  readonly where: string;
}

/** `why` holds no secret. */
export function failure(fault: StoreFault, attempt: Attempt, why: string, options?: ErrorOptions): StoreError {
  const { doing, key, where } = attempt;
  return new StoreError(fault, `cannot ${doing} ${quote(key)} in ${where}: ${why}. ${REMEDIES[fault]}`, options);
}

const REMEDIES: Readonly<Record<StoreFault, string>> = {
  unavailable: 'It is tried again; if it stays so, check the endpoint, the network and the state of the store',
  denied: 'Check the credentials, and that they may read, write, list and delete there',
  noBucket: 'Make it, or correct the name in the environment',
  preconditionFailed: 'Somebody else has written there: read it again before anything else is written',
  tooLarge: 'Nothing of ours is that large: look at who else writes there',
  incomplete: 'It is tried again; if it stays so, look at what stands between here and the store',
  unsupported: 'Use a store that knows it, or an endpoint of a newer version',
};
