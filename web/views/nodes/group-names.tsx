/** Which volumes are in a group, below its picture: in the bar a name may not fit, and volumes of a thin pool have no place there. */
import type { GroupRow } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { bytes } from '../../words/bytes.ts';

const MOST = 8;

export function GroupNames({ group: { volumes } }: { readonly group: GroupRow }) {
  const page = usePage();
  if (volumes.length === 0) return null;
  const more = volumes.length - MOST;
  return (
    <ul class="group-names">
      {volumes.slice(0, MOST).map(({ volume, sizeBytes }) => (
        <li key={volume}>
          <a href={addressIn(page, { view: 'volume', name: volume })}>{volume}</a>
          {sizeBytes !== undefined && ` ${bytes(sizeBytes)}`}
        </li>
      ))}
      {more > 0 && <li>and {more} more</li>}
    </ul>
  );
}
