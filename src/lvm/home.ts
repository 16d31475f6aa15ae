/** Which volumes belong to which node. */
import { HOSTNAME_LABEL, NODE_ID_LABEL, WRITTEN_KEYS } from './contract.ts';
import type { Volume } from './volume.ts';

/** How affinities can name this node. */
export interface OwnNode {
  readonly name: string;
  readonly id?: string;
  readonly hostname: string;
}

export type Belonging =
  /** Somebody else's, or of another node. */
  | 'not-ours'
  | 'ours'
  /** Meant for an agent like us, and for no node in particular: nobody could make it. */
  | 'homeless';

export interface NodeLabels {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** The id is what the label says, or what the original guessed: the digits at the end of the host name, after `node`. */
export function ownNodeOf({ name, labels }: NodeLabels): OwnNode {
  const hostname = labels[HOSTNAME_LABEL] ?? name;
  const id = labels[NODE_ID_LABEL] ?? guessedId(hostname);
  return { name, hostname, ...(id !== undefined && { id }) };
}

function guessedId(hostname: string): string | undefined {
  const digits = /\d+$/.exec(hostname.split('.')[0] ?? '')?.[0];
  return digits === undefined ? undefined : `node${digits}`;
}

export function belonging(volume: Volume, node: OwnNode, storageClasses: readonly string[]): Belonging {
  const { home, annotations, storageClass, isHeld } = volume;
  const isAnnotated = isHeld || Object.keys(annotations).some(isSaidByAPerson);
  if (home?.label === NODE_ID_LABEL) return home.value === node.id ? 'ours' : 'not-ours';
  const isMeantForUs = isAnnotated || storageClasses.includes(storageClass);
  if (!isMeantForUs || (home && home.value !== node.hostname)) return 'not-ours';
  return home && isAnnotated ? 'ours' : 'homeless';
}

/** What we write about a volume that we cannot make must not make it ours. */
const isSaidByAPerson = (key: string): boolean => !(WRITTEN_KEYS as readonly string[]).includes(key);
