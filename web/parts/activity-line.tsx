/** One thing that is being done now: what, how far, and how long it still takes. */
import type { Activity } from '../../src/console/model.ts';
import { linkIn, usePage } from '../page.ts';
import { span } from '../words/time.ts';
import { Progress } from './progress.tsx';

const VERBS: Readonly<Record<Activity['kind'], string>> = {
  wipe: 'Wiping',
  drain: 'Draining',
  restore: 'Restoring',
  export: 'Exporting',
  make: 'Making',
  grow: 'Growing',
  remove: 'Removing',
  scale: 'Scaling',
  rollout: 'Rolling out',
};

export function ActivityLine({ activity }: { readonly activity: Activity }) {
  const page = usePage();
  const { kind, subject, detail, progress, secondsLeft, link } = activity;
  return (
    <div class="activity">
      <p class="activity-what">
        <span class="activity-verb">{VERBS[kind]}</span>{' '}
        {link === undefined ? <b>{subject}</b> : <a href={linkIn(page, link)}>{subject}</a>}
      </p>
      <Progress label={`${VERBS[kind]} ${subject}`} value={progress} />
      <p class="activity-detail">
        <span>{detail}</span>
        {secondsLeft !== undefined && <span>{span(secondsLeft)} left</span>}
      </p>
    </div>
  );
}
