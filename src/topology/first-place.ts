/** `--multi-zone=first`: a volume that is used in several places stays where its first user is. Pure. */
import type { Volume } from './cached.ts';
import type { User } from './seen.ts';
import { inOrder, placed, placeOf, ready, type Spread } from './spread.ts';
import { valuesIn } from './values.ts';

/**
 * All labels come from one user, so that they name one place: the zone of one beside the region of another would be nowhere.
 * The first user is one that is where the labels say already, as long as there is one; then the one that has been ready for longest.
 */
export function firstPlace(volume: Volume, users: readonly User[], labelKeys: readonly string[]): readonly Spread[] {
  const holders = placed(users).filter((user) => isWhereLabelled(user, volume, labelKeys));
  const knowsWhere = (user: User) => labelKeys.some((key) => placeOf(user, key) !== undefined);
  const [source] = inOrder(ready(holders.length > 0 ? holders : users)).filter(knowsWhere);
  return labelKeys.flatMap((key) => {
    const value = source && placeOf(source, key);
    const values = holders.length > 0 && volume.labels[key] !== undefined ? valuesIn(volume.labels[key]) : [value];
    const known = values.filter((each) => each !== undefined);
    return known.length === 0 ? [] : [{ key, values: known }];
  });
}

function isWhereLabelled(user: User, { labels }: Volume, labelKeys: readonly string[]): boolean {
  const labelled = labelKeys.filter((key) => labels[key] !== undefined);
  return labelled.length > 0 && labelled.every((key) => valuesIn(labels[key]).includes(placeOf(user, key) ?? ''));
}
