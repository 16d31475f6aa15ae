/** How much would be lost if the cluster went away now: the age of the newest complete export, counting. */
import type { Rpo } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { Ago } from '../../parts/ago.tsx';
import { Counter } from '../../parts/counter.tsx';
import { UnseenFigure } from '../../parts/unseen.tsx';
import { recoveryPoint } from '../../sync/recovery-point.ts';
import { took } from '../../words/time.ts';

interface RpoTileProps {
  readonly rpo: Rpo | undefined;
  /** Why syncs are, where they are. */
  readonly unknown: string | undefined;
}

export function RpoTile({ rpo, unknown }: RpoTileProps) {
  const page = usePage();
  return (
    <section class="tile" aria-label="Recovery point">
      <h2>Recovery point</h2>
      {unknown !== undefined ? (
        <UnseenFigure why={unknown} />
      ) : rpo === undefined ? (
        <>
          <p class="figure figure-none">none</p>
          <p class="quiet-text">No complete export is known: nothing is held elsewhere.</p>
        </>
      ) : (
        <>
          <p class="figure">
            <Counter since={recoveryPoint(rpo)} />
          </p>
          <p class="quiet-text">
            {rpo.mode === 'Protected' ? 'would be lost now; ' : 'behind the protected cluster; '}
            exported <Ago at={rpo.exportedAt} /> by{' '}
            <a href={addressIn(page, { view: 'sync', name: rpo.sync })}>{rpo.sync}</a>
            {rpo.rtoSeconds !== undefined && `, back in ${took(rpo.rtoSeconds)}`}
          </p>
        </>
      )}
    </section>
  );
}
