/** What is said while a cluster is waited for: more, when that takes longer than one thinks it should. */
import { useEffect, useState } from 'preact/hooks';

const LONG_MS = 5000;

export function useWaitingWords(): string {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLong ? 'Still listening: a large cluster takes a while to be read.' : 'Listening to the cluster…';
}
