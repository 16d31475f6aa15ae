/** The page is there, and its server is not. */
import { useEffect } from 'preact/hooks';
import { Brand } from '../parts/brand.tsx';
import { Problem } from '../parts/problem.tsx';

const RETRY_MS = 5000;

export function Unreachable({ why, onRetry }: { readonly why: string; readonly onRetry: () => void }) {
  useEffect(() => {
    const timer = setTimeout(onRetry, RETRY_MS);
    return () => clearTimeout(timer);
  }, [onRetry]);
  return (
    <main class="doorstep">
      <Brand />
      <h1>The console does not answer</h1>
      <Problem title="Nothing could be asked" why={why}>
        <p>It is tried again every few seconds. Is the command that served this page still running?</p>
        <button type="button" class="button" onClick={onRetry}>
          Try now
        </button>
      </Problem>
    </main>
  );
}
