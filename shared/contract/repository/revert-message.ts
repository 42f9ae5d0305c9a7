import { parseRepositoryUrl } from './repository-url.ts';

/** What a message says that it undoes: a commit, what a merge had brought to one of its parents, or a request as its forge writes it. */
export type RevertReference =
  | { readonly commit: string; readonly parent: string | null }
  /** `#7` at GitHub, `!7` at GitLab. */
  | { readonly request: string };

const REF = String.raw`([0-9a-f]{7,64})(?: \([^\n]*\))?`;
const END = String.raw`[ \t\r]*(?:\n|$)`;
const NUMBER = String.raw`([1-9]\d{0,8})`;
/** The sentence of `git revert` (also with `-m`, and with `--reference`), to the end of its line. GitLab leaves out the full stop. */
const COMMIT = new RegExp(
  String.raw`^This reverts commit ${REF}(?:, reversing\r?\nchanges made to ${REF})?\.?${END}`,
);
/** What GitLab's button writes about a commit that a request has brought. */
const GITLAB = new RegExp(String.raw`^This reverts merge request !${NUMBER}\.?${END}`);
/** What GitHub's button writes into the request that it opens, and so into its squash. */
const GITHUB = new RegExp(String.raw`^Reverts ([\w.-]+/[\w.-]+)#${NUMBER}\.?${END}`);

/** `owner/name`, as GitHub names a repository. */
function repositoryName(repository: string): string | null {
  const read = parseRepositoryUrl(repository);
  if ('error' in read) return null;
  return read.segments
    .join('/')
    .replace(/\.git$/, '')
    .toLowerCase();
}

function parseParagraph(paragraph: string, repository: string): RevertReference[] {
  const [, commit, parent = null] = COMMIT.exec(paragraph) ?? [];
  if (commit !== undefined) return [{ commit, parent }];
  const [, merge] = GITLAB.exec(paragraph) ?? [];
  if (merge !== undefined) return [{ request: `!${merge}` }];
  const [, of, pull] = GITHUB.exec(paragraph) ?? [];
  return pull !== undefined && of?.toLowerCase() === repositoryName(repository)
    ? [{ request: `#${pull}` }]
    : [];
}

/**
 * What a message undoes, in the words of git and of the forges' buttons: a paragraph of it begins with the sentence. Within one, indented or
 * quoted it is talk.
 * @param repository that it is a message of: requests of others are none of its own
 */
export const parseRevertReferences = (message: string, repository: string): RevertReference[] =>
  message.split(/\n\s*\n/).flatMap((paragraph) => parseParagraph(paragraph.replace(/^\n+/, ''), repository));

const MERGED = new RegExp(`^Merge pull request (#${NUMBER}) from `);
const SQUASHED = new RegExp(String.raw`^[^\n]*\((#${NUMBER})\)${END}`);
const SEE = new RegExp(String.raw`^See merge request [\w./-]*(!${NUMBER})${END}`);

/** The request that a commit says to have merged, as the forges write it when they merge. */
export function parseMergedRequestReference(message: string): string | null {
  const [, merged] = MERGED.exec(message) ?? SQUASHED.exec(message) ?? [];
  if (merged !== undefined) return merged;
  for (const paragraph of message.split(/\n\s*\n/)) {
    const [, seen] = SEE.exec(paragraph) ?? [];
    if (seen !== undefined) return seen;
  }
  return null;
}

/** The number alone, which is a request's own within its repository. */
export const parseMergeRequestNumber = (request: string): number => Number(request.slice(1));
