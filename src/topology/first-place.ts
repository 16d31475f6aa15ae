/** `--multi-zone=first`: a volume that is used in several places stays where its first user is. Pure. */
import type { Volume } from './cached.ts';
import type { User } from './seen.ts';
import { inOrder, placed, placeOf, ready, type Spread } from './spread.ts';
import { valuesIn } from './values.ts';

/**
 * All labels come from one user, so that they name one place: the zone of one beside the region of another would be nowhere.
 * The first user is one that is where the labels say already, as long as there is one, or may be one; then the one that has been ready
 * for longest.
 */
export function firstPlace(volume: Volume, users: readonly User[], labelKeys: readonly string[]): readonly Spread[] {
  const labelled = labelKeys.filter((key) => valuesIn(volume.labels[key]).length > 0);
  const holders = placed(users).filter((user) => isWhereLabelled(user, volume, labelled));
  const mayBeHeld = labelled.length > 0 && users.some((user) => mayBeAnywhere(user, labelled));
  const stays = holders.length > 0 || mayBeHeld;
  const [source] = inOrder(ready(stays ? holders : users)).filter((user) => !mayBeAnywhere(user, labelKeys));
  return labelKeys.flatMap((key) => {
    const value = source && placeOf(source, key);
    const values = stays && labelled.includes(key) ? valuesIn(volume.labels[key]) : [value];
    const known = values.filter((each) => each !== undefined);
    return known.length === 0 ? [] : [{ key, values: known }];
  });
}

const mayBeAnywhere = (user: User, keys: readonly string[]): boolean =>
  keys.every((key) => placeOf(user, key) === undefined);

function isWhereLabelled(user: User, { labels }: Volume, labelled: readonly string[]): boolean {
  return labelled.length > 0 && labelled.every((key) => valuesIn(labels[key]).includes(placeOf(user, key) ?? ''));
}
