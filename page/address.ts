import { useEffect, useState } from 'preact/hooks';
import { hashOf, type Place, placeOf } from './place.ts';

export const go = (place: Place): void => {
  location.hash = hashOf(place);
};

export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const read = (): void => setPlace(placeOf(location.hash));
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);
  return place;
}
