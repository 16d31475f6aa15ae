/** A volume's whole story on one page. */
import { useCallback } from 'preact/hooks';
import type { VolumeRow, VolumeStory } from '../../../src/console/model.ts';
import { addressIn, listPlaceIn, usePage } from '../../page.ts';
import { CopyButton } from '../../parts/copyable.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';
import { Icon } from '../../parts/icon.tsx';
import { NeedCard } from '../../parts/need-card.tsx';
import { Problem, whyOf } from '../../parts/problem.tsx';
import { Section } from '../../parts/section.tsx';
import { bytes } from '../../words/bytes.ts';
import { HEALTH_WORDS } from '../../words/health.ts';
import { useAsked } from '../asked.ts';
import { StoryShape } from '../waiting/story-shape.tsx';
import { Exports } from './exports.tsx';
import { Facts } from './facts.tsx';
import { Moments } from './moments.tsx';
import { Receipts } from './receipts.tsx';

interface VolumeViewProps {
  readonly name: string;
  /** Missing where there is no such volume, or no longer. */
  readonly row: VolumeRow | undefined;
}

export function VolumeView({ name, row }: VolumeViewProps) {
  const page = usePage();
  const { service, cluster } = page;
  const ask = useCallback((signal: AbortSignal) => service.story(cluster, name, signal), [service, cluster, name, row]);
  const { value: story, problem, again } = useAsked(ask);
  const shown = row ?? story?.row;
  return (
    <article class="story">
      <a class="back" href={addressIn(page, { view: 'volumes' }, listPlaceIn(page)?.params)}>
        <Icon name="back" /> Volumes
      </a>
      <header class="view-head">
        <h1 class="name">{name}</h1>
        <CopyButton text={name} label="Copy the name" />
      </header>
      {shown && <Summary row={shown} isGone={row === undefined} />}
      {problem !== undefined && (
        <Problem title="Its story could not be had" why={whyOf(problem)}>
          <button type="button" class="button" onClick={again}>
            Ask again
          </button>
        </Problem>
      )}
      {story ? <Told story={story} /> : problem === undefined && <OnItsWay />}
    </article>
  );
}

function OnItsWay() {
  return (
    <>
      <p class="unseen" role="status">
        Asking for its story…
      </p>
      <div class="waiting" aria-hidden="true">
        <StoryShape />
      </div>
    </>
  );
}

function Summary({ row, isGone }: { readonly row: VolumeRow; readonly isGone: boolean }) {
  return (
    <ul class="summary">
      <li>
        <HealthMark health={isGone ? 'unknown' : row.health}>{isGone ? 'Gone' : HEALTH_WORDS[row.health]}</HealthMark>
      </li>
      {row.note !== undefined && <li>{row.note}</li>}
      <li>
        <span class="tag">{row.phase}</span>
      </li>
      <li>{bytes(row.capacityBytes)}</li>
      {row.claim !== undefined && <li>{row.claim}</li>}
      {row.sync !== undefined && (
        <li>
          <span class="tag">{row.sync}</span>
        </li>
      )}
    </ul>
  );
}

function Told({ story }: { readonly story: VolumeStory }) {
  const { needs, zoneWhy, facts, moments, receipts, yaml } = story;
  return (
    <>
      {needs.length > 0 && (
        <Section title="Needs you">
          <ul class="needs">
            {needs.map((need) => (
              <NeedCard key={need.id} need={need} />
            ))}
          </ul>
        </Section>
      )}
      <div class="columns">
        <div>
          <Section title="Facts">
            <Facts facts={facts} />
          </Section>
          {zoneWhy !== undefined && (
            <Section title={story.row.zone === undefined ? 'Why it has no zone' : 'Why this zone'}>
              <p class="prose">{zoneWhy}</p>
            </Section>
          )}
          <Receipts receipts={receipts} />
          <Exports story={story} />
        </div>
        <Section title="What happened">
          <Moments moments={moments} />
        </Section>
      </div>
      <Section title="As the API has it" aside={<CopyButton text={yaml} label="Copy the YAML" />}>
        <details class="yaml">
          <summary>Show the YAML</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard */}
          <pre tabIndex={0}>{yaml}</pre>
        </details>
      </Section>
    </>
  );
}
