/** The time since something, counting up by the second. */
import { useTold } from '../live/clock.ts';
import { absolute, counter } from '../words/time.ts';

export function Counter({ since }: { readonly since: string }) {
  const text = useTold((now) => counter((now - Date.parse(since)) / 1000));
  return (
    <time class="counter" dateTime={since} title={`since ${absolute(since)}`}>
      {text}
    </time>
  );
}
