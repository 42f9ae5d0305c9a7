import { useEffect, useState } from 'preact/hooks';
import { type PageRoute, pageRouteHash, parsePageRoute } from './page-route.ts';

export const navigate = (place: PageRoute): void => {
  location.hash = pageRouteHash(place);
};

/** Changes the address of this view without an entry in the history: each letter of a filter would be one. */
export const replaceRoute = (place: PageRoute): void => {
  history.replaceState(null, '', pageRouteHash(place));
  window.dispatchEvent(new HashChangeEvent('hashchange'));
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
