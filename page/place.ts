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
