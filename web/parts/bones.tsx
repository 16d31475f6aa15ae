/** The shapes of what is not there yet. They are for the eye alone: what is waited for is said in words beside them. */

/** A line of words, so many rem wide where there is room for it. */
export function Bone({ rem, as = '' }: { readonly rem: number; readonly as?: 'figure' | 'block' | 'pill' | '' }) {
  return <span class={`bone ${as && `bone-${as}`}`} style={{ width: `${rem}rem` }} />;
}

/** Below each other, each a little shorter or longer than the one before, as words are. */
export function Bones({ count, rem }: { readonly count: number; readonly rem: number }) {
  return (
    <div class="bones">
      {numbered(count).map((line) => (
        <Bone key={line} rem={rem * uneven(line)} />
      ))}
    </div>
  );
}

export const numbered = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

const LENGTHS = [1, 0.72, 0.88, 0.6, 0.94, 0.66, 0.8];

/** The same each time: what is drawn anew must not flicker. */
export const uneven = (line: number): number => LENGTHS[line % LENGTHS.length] ?? 1;
