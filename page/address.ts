import { useEffect, useState } from 'preact/hooks';
import { pageRouteHash, type PageRoute, parsePageRoute } from './place.ts';

export const navigate = (place: PageRoute): void => {
  location.hash = pageRouteHash(place);
};

export function usePageRoute(): PageRoute {
  const [place, setPlace] = useState(() => parsePageRoute(location.hash));
  useEffect(() => {
    const read = (): void => setPlace(parsePageRoute(location.hash));
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);
  return place;
}
