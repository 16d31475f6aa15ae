/** A part that is drawn again only when one of its properties is another. */
import { Component, type ComponentChild, createElement, type FunctionComponent } from 'preact';

export function memo<P extends object>(part: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !isSame(this.props, next);
    }
    override render(): ComponentChild {
      return createElement(part, this.props as P & { key?: string });
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}

function isSame(a: object, b: object): boolean {
  const before = a as Record<string, unknown>;
  const after = b as Record<string, unknown>;
  for (const key in before) if (!(key in after)) return false;
  for (const key in after) if (before[key] !== after[key]) return false;
  return true;
}
