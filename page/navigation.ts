import { useEffect, useState } from 'preact/hooks';
import { type PageRoute, pageRouteHash, parsePageRoute } from './page-route.ts';

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
