/** A sync: how much would be lost now, what it has done, how it stands, and what a recovery would do. */
import type { SyncMoment, SyncRow } from '../../../src/console/model.ts';
import { addressIn, usePage } from '../../page.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { Ago } from '../../parts/ago.tsx';
import { Counter } from '../../parts/counter.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';
import { memo } from '../../parts/memo.ts';
import { recoveryPoint } from '../../sync/recovery-point.ts';
import { counted } from '../../words/numbers.ts';
import { took } from '../../words/time.ts';
import { Conditions } from './conditions.tsx';
import { Drills } from './drills.tsx';
import { Plan } from './plan.tsx';
import { Timeline } from './timeline.tsx';

export const SyncCard = memo(({ sync }: { readonly sync: SyncRow }) => {
  const page = usePage();
  const { name, mode, protectedCluster, provider, health, volumes, claims } = sync;
  return (
    <section class="card sync" aria-label={name}>
      <header>
        <HealthMark health={health} isBare />
        <h2>
          <a href={addressIn(page, { view: 'sync', name })}>{name}</a>
        </h2>
        <span class="tag">{mode}</span>
        <span class="quiet-text">
          {counted(volumes, 'volume')} and {counted(claims, 'claim')} of {protectedCluster}, held in{' '}
          {STORES[provider] ?? provider}
        </span>
      </header>
      <Figures sync={sync} />
      <h3>Timeline</h3>
      <Timeline moments={sync.timeline} />
      <div class="columns">
        <div>
          <h3>Conditions</h3>
          <Conditions conditions={sync.conditions} />
        </div>
        <div>
          <h3>Drills</h3>
          <Drills drills={sync.timeline.filter(isDrill)} />
          <ActionButton action={sync.drill} />
        </div>
      </div>
      <Plan name={name} />
    </section>
  );
});

const STORES: Readonly<Record<string, string>> = { s3: 'S3', azure: 'Azure', file: 'a directory' };

const isDrill = ({ kind }: SyncMoment): boolean => kind === 'drill';

function Figures({ sync: { newest, rtoSeconds, mode } }: { readonly sync: SyncRow }) {
  if (!newest) return <p class="calm quiet-text">There is no complete export yet: nothing could be recovered.</p>;
  const number = [newest.epoch, newest.sequence].filter((part) => part !== undefined).join('.');
  return (
    <dl class="figures">
      <div>
        <dt>Recovery point</dt>
        <dd class="figure">
          <Counter since={recoveryPoint(newest)} />
        </dd>
        <dd class="quiet-text">{mode === 'Protected' ? 'would be lost now' : 'behind the protected cluster'}</dd>
      </div>
      <div>
        <dt>Newest export</dt>
        <dd class="figure figure-small">
          <Ago at={newest.exportedAt} />
        </dd>
        <dd class="quiet-text">{number === '' ? '' : `number ${number}`}</dd>
      </div>
      <div>
        <dt>Recovery time</dt>
        <dd class="figure figure-small">{rtoSeconds === undefined ? 'not measured' : took(rtoSeconds)}</dd>
        <dd class="quiet-text">{rtoSeconds === undefined ? 'until a restore or a drill' : 'as it took last'}</dd>
      </div>
      <div class="figures-key">
        <dt>Key</dt>
        <dd>
          <code>{newest.key}</code>
        </dd>
      </div>
    </dl>
  );
}
