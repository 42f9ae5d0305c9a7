/**
 * Where the page is: the API serves it itself, so that what it asks has the page's own origin, and nothing has to be allowed across
 * origins. It says nothing of tasks, and needs no token.
 */
export const WEB_PAGE_PATHS = { page: '/', file: '/page/{file}' } as const;

/** The page itself, among its files. */
export const WEB_PAGE_HTML_FILE = 'page.html';

/** Address of a task on the page of a deployment. */
export const taskPageUrl = (apiUrl: string, id: string): string =>
  `${apiUrl.replace(/\/+$/, '')}/#/task/${encodeURIComponent(id)}`;
