import { useEffect, useState } from 'preact/hooks';

/** What is looked at; it stands behind the `#` of the address, which is never sent to the server. */
export type Place =
  | { readonly view: 'board' }
  | { readonly view: 'quality' }
  | { readonly view: 'task'; readonly id: string };

export function placeOf(hash: string): Place {
  const [view = '', id = ''] = hash.replace(/^#\/?/, '').split('/');
  if (view === 'quality') return { view };
  if (view === 'task' && id !== '') {
    try {
      return { view, id: decodeURIComponent(id) };
    } catch {
      return { view: 'board' };
    }
  }
  return { view: 'board' };
}

export const hashOf = (place: Place): string =>
  place.view === 'task' ? `#/task/${encodeURIComponent(place.id)}` : `#/${place.view}`;

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
