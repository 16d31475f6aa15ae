/** What is shown of a part of which nobody can say what is in it: why, and never that there is nothing. */
import { Empty } from './empty.tsx';

interface UnseenProps {
  /** Of the view. */
  readonly title: string;
  /** What there may be: `volumes`. */
  readonly what: string;
  readonly why: string;
}

export function Unseen({ title, what, why }: UnseenProps) {
  return (
    <>
      <header class="view-head">
        <h1>{title}</h1>
      </header>
      <Empty icon="unseen" title={`Nobody can say which ${what} there are`}>
        <p class="unseen-why">{why}</p>
        <p>They are shown as soon as they can be read.</p>
      </Empty>
    </>
  );
}

/** The same within a tile. */
export function UnseenFigure({ why }: { readonly why: string }) {
  return (
    <>
      <p class="figure figure-none">unknown</p>
      <p class="quiet-text unseen-why">{why}</p>
    </>
  );
}
