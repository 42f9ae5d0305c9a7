/** A repository's URL, taken apart. `href` is what is stored, handed to git and shown: every program reads it alike. */
export interface RepositoryAddress {
  readonly href: string;
  readonly protocol: 'https' | 'ssh' | 'file';
  /** Host with its port where it is not the usual one; empty for file URLs. */
  readonly authority: string;
  /** Segments of the path, without the empty one after a slash at the end. */
  readonly segments: readonly string[];
}

export const MAX_REPOSITORY_URL_LENGTH = 2_000;

const LABEL = '[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?';
const HOST = `(?:${LABEL}(?:\\.${LABEL})*|\\[[0-9a-f:.]+\\])`;
const SEGMENT = '(?:[A-Za-z0-9._~@+,=:-]|%[0-9A-Fa-f]{2})+';
/**
 * Far narrower than RFC 3986: no query, no fragment, no password, no blanks, no backslash, no control characters, no character that needs
 * to be encoded, no empty segment. What is left has one meaning.
 */
const GRAMMAR = new RegExp(
  `^(https|ssh|file)://(?:([A-Za-z0-9_][A-Za-z0-9_.-]*)@)?(${HOST})?(?::([1-9][0-9]{0,4}))?((?:/${SEGMENT})*/?)$`,
);
const USUAL_PORT: Readonly<Record<string, string>> = { https: '443', ssh: '' };
/**
 * Encoded, these would be a separator, a dot segment, a second encoding or a control character to whoever decodes them; and letters and
 * digits would be a second way to write the same repository.
 */
const FORBIDDEN_ENCODING = /%(?:[01][0-9a-f]|2[35def]|3[0-9f]|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9af])/i;

/** Scheme and host in small letters, which they mean anyway. */
const lowerCaseOrigin = (text: string): string =>
  text.replace(/^[A-Za-z]+:\/\/[^/]*/, (start) => {
    const at = start.lastIndexOf('@');
    const scheme = start.indexOf('://') + 3;
    return (
      start.slice(0, scheme).toLowerCase() +
      start.slice(scheme, at + 1) +
      start.slice(Math.max(at + 1, scheme)).toLowerCase()
    );
  });

/**
 * Reads the URL of a repository, or says what is wrong with it. It is read twice, by a grammar of our own and by the WHATWG parser, and
 * taken only where both come to the same: what two parsers read differently, git may read as a third.
 */
export function parseRepositoryUrl(text: string): RepositoryAddress | { readonly error: string } {
  if (text.length > MAX_REPOSITORY_URL_LENGTH)
    return { error: `must have at most ${MAX_REPOSITORY_URL_LENGTH} characters` };
  const plain = lowerCaseOrigin(text);
  const parts = GRAMMAR.exec(plain);
  const [, protocol, user, host = '', port = '', path = ''] = parts ?? [];
  if (!parts || !protocol) return { error: describeUrlProblem(text) };
  if (user !== undefined && protocol !== 'ssh')
    return { error: 'must not carry credentials; they would be stored and logged' };
  if ((protocol === 'file') !== (host === '') || (protocol === 'file' && port !== ''))
    return { error: 'must name a host, and a file:// URL must not' };
  if (FORBIDDEN_ENCODING.test(path))
    return { error: 'must not encode letters, digits, dots, slashes, control characters or "%" in its path' };
  // Where git reads a path apart, it takes what stands before a colon for a scheme and leaves it encoded.
  if (path.includes('%') && path.includes(':'))
    return { error: 'must not have both a ":" and an encoded character in its path' };
  const segments = path.split('/').filter((segment) => segment !== '');
  if (segments.some((segment) => segment === '.' || segment === '..'))
    return { error: 'must not have "." or ".." in its path' };
  if (segments[0]?.startsWith('-')) return { error: 'must not have a path that begins with "-"' };
  const authority = `${host}${port === '' || port === USUAL_PORT[protocol] ? '' : `:${port}`}`;
  const href = `${protocol}://${user === undefined ? '' : `${user}@`}${authority}${path === '' && protocol === 'https' ? '/' : path}`;
  if (!URL.canParse(href) || new URL(href).href !== href || new URL(plain).href !== href)
    return {
      error: 'is read differently by different programs; write host, port and path in their plain form',
    };
  return { href, protocol: protocol as RepositoryAddress['protocol'], authority, segments };
}

/** What in particular is wrong with a URL that the grammar does not know. */
function describeUrlProblem(text: string): string {
  if (!/^(?:https|ssh|file):\/\//i.test(text))
    return 'must be an https:// URL (in the embedded default also ssh:// or file://)';
  if (/[^\x21-\x7e]/.test(text))
    return 'must not have blanks, control characters or characters outside of ASCII';
  if (/[?#]/.test(text)) return 'must not have a query or a fragment';
  if (text.includes('\\')) return 'must not have a backslash';
  if (/^[^/]*\/\/[^/]*:[^/]*@/.test(text))
    return 'must not carry credentials; they would be stored and logged';
  return 'must be a plain URL: a host, at most a port, and a path of letters, digits and . _ ~ @ + , = : -';
}

/** The normal form of a URL that is good; any other stays as it is, for the error to tell. */
export function normalizeRepositoryUrl(text: string): string {
  const read = parseRepositoryUrl(text);
  return 'error' in read ? text : read.href;
}

const withoutGitSuffix = (segment: string): string => segment.replace(/(?<=.)\.git$/, '');

/**
 * Does `scope` cover the repository: the same scheme, host and port, and all of its segments at the beginning of the path? The name of a
 * repository is the same with and without `.git`; a scope that ends in `.git` is for one repository.
 */
export function isRepositoryInScope(scope: RepositoryAddress, repository: RepositoryAddress): boolean {
  if (scope.protocol !== repository.protocol || scope.authority !== repository.authority) return false;
  const { length } = scope.segments;
  const wanted = repository.segments;
  const last = scope.segments[length - 1] ?? '';
  if (length > wanted.length || (length < wanted.length && withoutGitSuffix(last) !== last)) return false;
  return scope.segments.every((segment, index) =>
    index === wanted.length - 1
      ? withoutGitSuffix(segment) === withoutGitSuffix(wanted[index] ?? '')
      : segment === wanted[index],
  );
}

/** Returns one spelling of a scope: two scopes with the same one cover the same repository, and neither is more specific. */
export const comparableScope = (url: string): string => withoutGitSuffix(url.replace(/\/+$/, ''));

/** Returns the indexes of the scopes that are listed before. */
export function findDuplicateScopes(scoped: readonly { readonly url: string }[]): number[] {
  const urls = scoped.map(({ url }) => comparableScope(url));
  return urls.flatMap((url, index) => (urls.indexOf(url) === index ? [] : [index]));
}

/** The scope that covers most of the repository's path; null when none covers it. Configuration refuses two equal scopes. */
export function findMostSpecificScope<Scoped extends { readonly url: string }>(
  scoped: readonly Scoped[],
  repository: string,
): Scoped | null {
  const wanted = parseRepositoryUrl(repository);
  if ('error' in wanted) return null;
  let best: { readonly of: Scoped; readonly length: number } | null = null;
  for (const each of scoped) {
    const scope = parseRepositoryUrl(each.url);
    if ('error' in scope || !isRepositoryInScope(scope, wanted)) continue;
    if (!best || scope.segments.length > best.length) best = { of: each, length: scope.segments.length };
  }
  return best?.of ?? null;
}

/** One spelling of what servers take for one repository. */
export const comparableRepositoryUrl = (url: string): string =>
  url
    .toLowerCase()
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
export const isSameRepository = (one: string, other: string): boolean =>
  comparableRepositoryUrl(one) === comparableRepositoryUrl(other);
