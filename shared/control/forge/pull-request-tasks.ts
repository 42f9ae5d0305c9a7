import type { PullRequestFields } from '../../contract/task/task.ts';
import { compilePathFilter } from '../../lib/glob/glob.ts';
import type { ForgeChangeRequest, ForgeIssue } from './forge.ts';
import type { ForgeSetting } from './forge-settings.ts';
import { repositoryHash } from './issue-tasks.ts';

/** Most issues that are read for one pull request. */
const MAX_ISSUES = 5;
const MAX_BODY = 50_000;
const MAX_ISSUE_BODY = 9_000;

/** Returns why a pull request is verified, or null if nothing selects it. */
export function pullRequestSelectionReason(
  change: ForgeChangeRequest,
  { pull_requests: { authors, labels, branches }, label }: ForgeSetting,
): string | null {
  const selected = (labels ?? [label]).find((each) => change.labels.includes(each));
  if (selected !== undefined) return `label ${selected}`;
  // An author who wants an early answer puts the label on.
  if (change.is_draft) return null;
  if (authors.includes('everyone')) return 'every author';
  if (authors.includes('bots') && change.author_kind === 'bot') return 'a bot';
  const author = change.author.toLowerCase();
  if (authors.some((each) => each.toLowerCase() === author)) return `author ${change.author}`;
  // The author of a fork chooses the name of its branch.
  return !change.from_fork && branches.length > 0 && compilePathFilter(branches)(change.branch)
    ? `branch ${change.branch}`
    : null;
}

const CLOSING =
  /\b(?:close[sd]?|closing|fix(?:e[sd])?|fixing|resolve[sd]?|resolving|implement(?:s|ed|ing)?):?\s+(?:([\w.-]+(?:\/[\w.-]+)+))?#([1-9]\d{0,8})\b/gi;
const CLOSING_URL =
  /\b(?:close[sd]?|closing|fix(?:e[sd])?|fixing|resolve[sd]?|resolving|implement(?:s|ed|ing)?):?\s+(https?:\/\/[^\s)\]]+?)\/(?:-\/)?issues\/([1-9]\d{0,8})\b/gi;

const repositoryPath = (url: string): string =>
  (URL.canParse(url) ? new URL(url).pathname : url)
    .replace(/^\/|\/+$/g, '')
    .replace(/\.git$/, '')
    .toLowerCase();

/** Returns the issues of the same repository that a text closes by the keywords of GitHub and GitLab, in their order. */
export function parseClosedIssues(text: string, repository: string): number[] {
  const path = repositoryPath(repository);
  const numbers = [...text.matchAll(CLOSING), ...text.matchAll(CLOSING_URL)]
    .filter(([, of]) => of === undefined || repositoryPath(of) === path)
    .toSorted((one, other) => one.index - other.index)
    .map(([, , number]) => Number(number));
  return [...new Set(numbers)].slice(0, MAX_ISSUES);
}

/** An issue that a pull request closes: its text, or why it was not read. */
export type LinkedIssue = { readonly number: number } & (ForgeIssue | { readonly unread: string });

/** Returns the text of a task: the body of the pull request, why its `assay` block was not read, and the issues that it closes. */
export function describePullRequest(
  { body }: Pick<ForgeChangeRequest, 'body'>,
  issues: readonly LinkedIssue[],
  unreadBlock: string | null = null,
): string {
  const sections = issues.map((issue) =>
    'unread' in issue
      ? `## Issue ${issue.number}\n\nThis issue was not read: ${issue.unread}.`
      : `## Issue ${issue.number}: ${issue.title.replace(/\s+/g, ' ').slice(0, 300)}\n\n${issue.body.slice(0, MAX_ISSUE_BODY)}`,
  );
  const unread =
    unreadBlock === null ? [] : [`The \`assay\` block above was not read: ${unreadBlock.slice(0, 1_000)}.`];
  return [body.slice(0, MAX_BODY), ...unread, ...sections].filter((each) => each.trim() !== '').join('\n\n');
}

/**
 * Returns the id of the task that verifies a head commit: the same for each event about it, so that an event that comes twice makes one task.
 * @param again when it was asked for once more; null: by an event of the head itself
 */
export function taskIdOfPullRequest(
  repository: string,
  { kind, number, head_commit }: Pick<PullRequestFields, 'kind' | 'number' | 'head_commit'>,
  again: string | null = null,
): string {
  const suffix = again === null ? '' : `-${Math.floor(Date.parse(again) / 1_000).toString(36)}`;
  return `${kind === 'pull_request' ? 'pr' : 'group'}-${number}-${repositoryHash(repository)}-${head_commit.slice(0, 12)}${suffix}`;
}
