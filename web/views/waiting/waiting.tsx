/** Each view until its cluster is heard: under its own heading and in its own shape, so that nothing jumps when it comes. */
import type { ComponentChildren } from 'preact';
import { addressIn, usePage } from '../../page.ts';
import { Icon } from '../../parts/icon.tsx';
import type { Route } from '../../route.ts';
import { NodeShape, NodesShape } from './nodes-shape.tsx';
import { OverviewShape } from './overview-shape.tsx';
import { PoolsShape } from './pools-shape.tsx';
import { StoryShape, SummaryShape } from './story-shape.tsx';
import { SyncsShape } from './syncs-shape.tsx';
import { VolumesShape } from './volumes-shape.tsx';
import { useWaitingWords } from './words.ts';

/** Where an address leads nowhere, there is nothing to wait for. */
export type Awaited = Exclude<Route, { readonly view: 'nowhere' }>;

export function Waiting({ route }: { readonly route: Awaited }) {
  const words = useWaitingWords();
  switch (route.view) {
    case 'overview':
      return <OverviewShape words={words} />;
    case 'volumes':
      return (
        <div class="volumes">
          <Head title="Volumes" words={words} />
          <VolumesShape />
        </div>
      );
    case 'nodes':
      return (
        <List title="Nodes" words={words}>
          <NodesShape />
        </List>
      );
    case 'pools':
      return (
        <List title="Pools" words={words}>
          <PoolsShape />
        </List>
      );
    case 'syncs':
      return (
        <List title="Sync" words={words}>
          <SyncsShape />
        </List>
      );
    case 'volume':
      return (
        <One name={route.name} list={{ view: 'volumes' }} title="Volumes" words={words}>
          <SummaryShape />
          <StoryShape />
        </One>
      );
    case 'node':
      return (
        <One name={route.name} list={{ view: 'nodes' }} title="Nodes" words={words}>
          <SummaryShape />
          <NodeShape />
        </One>
      );
    case 'pool':
      return (
        <One name={route.name} list={{ view: 'pools' }} title="Pools" words={words}>
          <PoolsShape />
        </One>
      );
    case 'sync':
      return (
        <One name={route.name} list={{ view: 'syncs' }} title="Sync" words={words}>
          <SyncsShape />
        </One>
      );
  }
}

function Head({ title, words }: { readonly title: string; readonly words: string }) {
  return (
    <header class="view-head">
      <h1>{title}</h1>
      <p class="quiet-text" role="status">
        {words}
      </p>
    </header>
  );
}

interface ListProps {
  readonly title: string;
  readonly words: string;
  readonly children: ComponentChildren;
}

function List({ title, words, children }: ListProps) {
  return (
    <>
      <Head title={title} words={words} />
      <div class="waiting" aria-hidden="true">
        {children}
      </div>
    </>
  );
}

interface OneProps extends ListProps {
  readonly name: string;
  readonly list: Route;
}

function One({ name, list, title, words, children }: OneProps) {
  const page = usePage();
  return (
    <>
      <a class="back" href={addressIn(page, list)}>
        <Icon name="back" /> {title}
      </a>
      <header class="view-head">
        <h1 class="name">{name}</h1>
        <p class="quiet-text" role="status">
          {words}
        </p>
      </header>
      <div class="waiting" aria-hidden="true">
        {children}
      </div>
    </>
  );
}
