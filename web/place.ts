/** Where one is in the page, kept in its address. */
import { useEffect, useState } from 'preact/hooks';
import { type Place, placeOf } from './route.ts';

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const moved = () => setPlace(placeOf(location.hash));
    addEventListener('hashchange', moved);
    // It may have changed since the first drawing.
    moved();
    return () => removeEventListener('hashchange', moved);
  }, []);
  return place;
}
