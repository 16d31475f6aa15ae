/** How long ago something was, kept up to date, with the exact time for who points at it. */
import { useTold } from '../live/clock.ts';
import { absolute, ago } from '../words/time.ts';

export function Ago({ at }: { readonly at: string }) {
  const text = useTold((now) => ago(Date.parse(at), now));
  return (
    <time dateTime={at} title={absolute(at)}>
      {text}
    </time>
  );
}
