/** Keys that work everywhere: `g` and a letter goes to a view, `/` searches, `?` tells of the keys. */
import { useEffect } from 'preact/hooks';
import type { Route } from './route.ts';

const VIEWS: Readonly<Record<string, Route>> = {
  o: { view: 'overview' },
  v: { view: 'volumes' },
  n: { view: 'nodes' },
  p: { view: 'pools' },
  s: { view: 'syncs' },
};
const SEQUENCE_MS = 1500;

interface Keys {
  readonly go: (route: Route) => void;
  readonly search: () => void;
  readonly help: () => void;
}

export function useKeys({ go, search, help }: Keys): void {
  useEffect(() => {
    let goPressedAt = Number.NEGATIVE_INFINITY;
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isAsked()) return;
      const view = VIEWS[event.key];
      if (view && event.timeStamp - goPressedAt < SEQUENCE_MS) go(view);
      else if (event.key === '/') search();
      else if (event.key === '?') help();
      else if (event.key !== 'g') return;
      goPressedAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [go, search, help]);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;

const isAsked = (): boolean => document.querySelector('dialog[open]') !== null;
