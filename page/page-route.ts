import { escapeToOneLine } from './components/escape-text.ts';

/** What is looked at; it stands behind the `#` of the address, which is never sent to the server. */
export type PageRoute =
  | { readonly view: 'board' }
  | { readonly view: 'quality' }
  | { readonly view: 'task'; readonly id: string };

export function parsePageRoute(hash: string): PageRoute {
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

export const pageRouteHash = (place: PageRoute): string =>
  place.view === 'task' ? `#/task/${encodeURIComponent(place.id)}` : `#/${place.view}`;

/** What a tab is called: which task, first, as tabs are narrow. */
export const pageTitle = (place: PageRoute): string =>
  place.view === 'task'
    ? `${escapeToOneLine(place.id, 64)} · Assay`
    : place.view === 'quality'
      ? 'Figures · Assay'
      : 'Assay';
