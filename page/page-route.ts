import { TASK_GROUPS, type TaskGroup } from './board/task-groups.ts';
import { escapeToOneLine } from './components/escape-text.ts';

/** Which tasks the board shows; it is part of the address, so that a link leads to the same list. */
export interface BoardFilter {
  readonly group: TaskGroup | 'all';
  /** Words that a task must contain, all of them. */
  readonly words: string;
}

/** The current view; it is stored in the fragment of the address, which a browser never sends to the server. */
export type PageRoute =
  | { readonly view: 'board'; readonly filter?: BoardFilter }
  | { readonly view: 'quality' }
  | { readonly view: 'task'; readonly id: string };

export const NO_FILTER: BoardFilter = { group: 'all', words: '' };

function parseBoardFilter(query: string): BoardFilter {
  const fields = new URLSearchParams(query);
  const group = TASK_GROUPS.find((each) => each.replaceAll(' ', '-') === fields.get('group'));
  return { group: group ?? 'all', words: fields.get('words') ?? '' };
}

/** Returns the view of a fragment; an unknown one shows the board. */
export function parsePageRoute(hash: string): PageRoute {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', id = ''] = path.split('/');
  if (view === 'quality') return { view };
  if (view === 'task' && id !== '') {
    try {
      return { view, id: decodeURIComponent(id) };
    } catch {
      return { view: 'board' };
    }
  }
  return query === '' ? { view: 'board' } : { view: 'board', filter: parseBoardFilter(query) };
}

function boardQuery({ group, words }: BoardFilter): string {
  const fields = new URLSearchParams();
  if (group !== 'all') fields.set('group', group.replaceAll(' ', '-'));
  if (words !== '') fields.set('words', words);
  return fields.size === 0 ? '' : `?${fields}`;
}

/** Returns the fragment of a view, with its `#`. */
export function pageRouteHash(place: PageRoute): string {
  if (place.view === 'task') return `#/task/${encodeURIComponent(place.id)}`;
  return `#/${place.view}${place.view === 'board' ? boardQuery(place.filter ?? NO_FILTER) : ''}`;
}

/** Returns the title of the browser tab; the task id comes first, as tabs are narrow. */
export const pageTitle = (place: PageRoute): string =>
  place.view === 'task'
    ? `${escapeToOneLine(place.id, 64)} · Assay`
    : place.view === 'quality'
      ? 'Quality · Assay'
      : 'Assay';
