import { parse } from 'yaml';
import { isConfigObject } from './config-merger.ts';

/** A definition of CI on both sides; null: it is not there. */
export interface ChangedCiFile {
  readonly path: string;
  readonly base: string | null;
  readonly head: string | null;
}

const GITHUB_PIPELINE =
  /^\.(?:github|forgejo|gitea)\/(?:workflows\/[^/]+|actions\/(?:.+\/)?action)\.ya?ml$/is;
/** Definitions of other services: their jobs see all secrets without naming them. */
const OTHER_PIPELINE =
  /^(?:\.gitlab-ci[^/]*\.ya?ml|\.(?:gitlab|circleci|buildkite|semaphore|woodpecker)\/.*\.ya?ml|\.?(?:travis|drone|cirrus|appveyor|wercker|bitbucket-pipelines|cloudbuild)\.ya?ml|(?:azure-pipelines|buildspec|\.woodpecker)[^/]*\.ya?ml)$/is;
/** What runs nothing: templates, labels, release notes, updates of dependencies. */
const DATA = /^\.(?:github|gitlab|forgejo|gitea)\/(?:.+\/)?[^/]+\.(?:ya?ml|md|json5?|txt|toml|svg|png)$/is;
/** Data by which apps protect branches, or approve and merge pull requests. */
const DECIDES_ON_REVIEWS =
  /(?:^|\/)(?:codeowners|(?:settings|policy|policies|rulesets?|\.?mergify|\.?kodiak|\.?bulldozer|auto-?(?:merge|approve))(?:\.(?:ya?ml|json5?|toml)|\/.*))$/is;
/** Hooks of git that are data. */
const HOOKS =
  /(?:^|\/)(?:\.pre-commit-(?:config|hooks)\.ya?ml|\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.overcommit\.yml|\.lintstagedrc(?:\.(?:json|ya?ml))?)$/is;

const CHECKERS =
  'pytest unittest tox nox hatch coverage jest vitest mocha ava cypress playwright eslint xo biome prettier tsc ruff flake8 pylint mypy pyright black golangci-lint golangci-lint-action staticcheck govulncheck clippy miri codeql-action semgrep gitleaks trivy pre-commit actionlint zizmor'.split(
    ' ',
  );
/** Calls that check something, of which a definition must not lose one. */
const CHECKS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ...CHECKERS.map((name) => [name, new RegExp(`(?<![\\w-])${name}(?![\\w-])`)] as const),
  ['npm test', /\b(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:-\S+\s+)*(?:test|t|ci:test|lint|check)\b/],
  ['node --test', /\bnode\s[^\n]*--test\b/],
  ['go test', /\bgo\s+test\b/],
  ['go vet', /\bgo\s+vet\b/],
  ['cargo test', /\bcargo\s(?:[^\n]*\s)?(?:test|nextest)\b/],
  ['cargo check', /\bcargo\s(?:[^\n]*\s)?(?:check|build)\b/],
  ['make test', /\b(?:make|just|task)\s+[\w-]*(?:test|check|lint)/],
];
/** Lines of CI that run us. */
const OUR_CHECKS = /assay/i;
/** What makes a check pass although it fails, or keeps it from running. */
const MASKS =
  /continue-on-error:\s*(?!false)\S|allow_failure:\s*true|\|\|\s*(?:true|:|exit 0|echo)|\bset \+e\b|\bif:\s*(?:\$\{\{\s*)?['"]?(?:false|0)\b|--exit-zero|--passWithNoTests|\bexit 0\b|(?:paths|branches|tags)-ignore:|\[(?:skip ci|ci skip)\]/g;
/** What lets a job reach more than the code of a pull request may. */
const POWERS =
  /secrets\s*\.\s*[\w*]+|secrets\s*\[[^\]\n]*\]|secrets:\s*inherit|(?<=[({,\s])secrets(?=\s*[)},])|(?<![\w-])[\w-]+:\s*write\b|write-all|pull_request_target|workflow_run|issue_comment|self-hosted|ACTIONS_\w+/gi;
/** The token that every job has, with the rights that `permissions` say. */
const OWN_TOKEN = /^secrets\s*\.\s*github_token$/i;
/** Events by which people expect CI to run on work. */
const EVENTS = ['push', 'pull_request', 'pull_request_target', 'merge_group'];

/**
 * Tells why changed definitions of CI need a review: fewer checks, or more rights. No check of ours executes them, so other changes,
 * such as newer versions of actions or another matrix, need none. All files are compared together, so that jobs may move.
 * @returns the reason by path; a file that is not among them needs no review.
 */
export function findCiReviewReasons(files: readonly ChangedCiFile[]): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  const pipelines = files.filter((file) => isPipeline(file.path) && !isTooLarge(file));
  for (const file of files)
    if (isPipeline(file.path) || HOOKS.test(file.path)) {
      if (isTooLarge(file)) reasons.set(file.path, 'too large to be compared');
    } else if (!isData(file.path))
      reasons.set(file.path, 'runs on machines of the team, or decides who reviews');
  for (const file of files) {
    const hook = HOOKS.test(file.path) && !isTooLarge(file) ? findNewHookProgram(file) : null;
    if (hook !== null) reasons.set(file.path, hook);
  }
  const weaker = findWeakening(pipelines);
  for (const { path, base, head } of pipelines) {
    const reason = weaker ?? findNewPower({ path, base, head });
    if (reason !== null) reasons.set(path, reason);
  }
  return reasons;
}

const isPipeline = (path: string): boolean => GITHUB_PIPELINE.test(path) || OTHER_PIPELINE.test(path);
const isData = (path: string): boolean => DATA.test(path) && !DECIDES_ON_REVIEWS.test(path);

/** Patterns and comparisons of lines take more than linear time. */
const MAX_LINES = 2_000;
const MAX_LINE_CHARS = 2_000;
const isTooLarge = ({ base, head }: ChangedCiFile): boolean =>
  [base, head].some((text) => {
    const lines = (text ?? '').split('\n');
    return lines.length > MAX_LINES || lines.some((line) => line.length > MAX_LINE_CHARS);
  });

function findWeakening(files: readonly ChangedCiFile[]): string | null {
  const before = files.map(({ base }) => uncommented(base)).join('\n');
  const after = files.map(({ head }) => uncommented(head)).join('\n');
  const events = (side: 'base' | 'head'): Set<string> =>
    new Set(files.flatMap((file) => Object.keys(eventsOf(file[side]))));
  const [then, now] = [events('base'), events('head')];
  const lost = EVENTS.filter((event) => then.has(event) && !now.has(event));
  if (lost.length > 0) return `CI no longer runs on ${lost.join(', ')}`;
  const narrowed = files.map(findNarrowedEvent).find((event) => event !== undefined);
  if (narrowed !== undefined) return `CI runs on fewer of ${narrowed}`;
  const checks = CHECKS.filter(([, pattern]) => pattern.test(before) && !pattern.test(after));
  if (checks.length > 0) return `CI no longer runs ${checks.map(([name]) => name).join(', ')}`;
  const ours = (text: string): string =>
    text
      .split('\n')
      .filter((line) => OUR_CHECKS.test(line))
      .toSorted()
      .join('\n');
  if (ours(before) !== ours(after)) return 'CI runs Assay in another way';
  const masks = (text: string): number => [...text.matchAll(MASKS)].length;
  return masks(after) > masks(before) ? 'CI overlooks more failures than before' : null;
}

/** What the author of a patch could reach by it that the base's definition does not give to other code. */
function findNewPower({ path, base, head }: ChangedCiFile): string | null {
  const powers = (text: string | null): Set<string> =>
    new Set(
      [...`${withoutRemarks(text)}\n${flatten(parseOrNull(text)).join('\n')}`.matchAll(POWERS)]
        .map(([power]) => power.replaceAll(/\s/g, '').toLowerCase())
        .filter((power) => !OWN_TOKEN.test(power)),
    );
  const [then, now] = [powers(base), powers(head)];
  const added = [...now].filter((power) => !then.has(power));
  if (added.length > 0) return `CI gets more rights: ${added.slice(0, 3).join(', ')}`;
  if (now.size === 0 && GITHUB_PIPELINE.test(path)) return null;
  const lines = withoutRemarks(base).split('\n').map(withoutVersions);
  // A command may go on on the next line.
  const known = [...lines, ...lines.map((line, at) => `${line} ${lines[at + 1] ?? ''}`)];
  const line = withoutRemarks(head)
    .split('\n')
    .find((each) => !HARMLESS.test(each) && !known.some((old) => isShortened(withoutVersions(each), old)));
  return line === undefined
    ? null
    : `a job that has secrets or may write is changed: ${line.trim().slice(0, 80)}`;
}

/** Lines that give a job nothing to run and no right. */
const HARMLESS =
  /^\s*(?:$|name:[^$]*$|workflow_dispatch:\s*$|push:\s*$|pull_request:\s*$|merge_group:\s*$|(?:fail-fast|persist-credentials|timeout-minutes|cancel-in-progress):\s*[\w-]+$|[\w-]+:\s*(?:read|none)$|permissions:\s*(?:\{\})?$)/;

/** Whether a line is an older one from which words were taken away. */
function isShortened(line: string, old: string): boolean {
  const left = old.split(/\s+/);
  return line.split(/\s+/).every((word) => {
    const at = left.indexOf(word);
    if (at < 0) return false;
    left.splice(0, at + 1);
    return true;
  });
}

/** Programs of hooks run on the machine of whoever commits. */
function findNewHookProgram({ base, head }: ChangedCiFile): string | null {
  const known = new Set(withoutRemarks(base).split('\n').map(withoutVersions));
  const line = withoutRemarks(head)
    .split('\n')
    .find(
      (each) =>
        /(?:repo|entry|run|cmd|command|script)['"]?\s*[:=]/i.test(each) && !known.has(withoutVersions(each)),
    );
  return line === undefined ? null : `a hook runs another program: ${line.trim().slice(0, 80)}`;
}

/** A line in which versions, and hashes that stand for versions, are all the same. */
const withoutVersions = (line: string): string =>
  line
    .trim()
    .replaceAll(/\b[0-9a-f]{40,64}\b/g, '0')
    .replaceAll(/\bv?\d+(?:\.\d+)*(?:[-.+]?(?:alpha|beta|rc|dev|pre|post|a|b)[.\d]*)?(?![\w-])/g, '0');

const uncommented = (text: string | null): string =>
  (text ?? '').replaceAll(/(^|\s)#.*$/gm, '$1').replaceAll(/[ \t]+$/gm, '');

/** The text without remarks that no program can be hidden in: what looks like a comment may stand in a quoted text of a shell. */
const withoutRemarks = (text: string | null): string =>
  (text ?? '').replaceAll(/(^|\s)#[^$`'"(){}<>|;&\\\n]*$/gm, '$1').replaceAll(/[ \t]+$/gm, '');

/** The events of a workflow, where it has any jobs, with their filters; a definition of another service runs on each push. */
function eventsOf(text: string | null): Record<string, unknown> {
  const workflow = parseOrNull(text);
  if (!isConfigObject(workflow)) return {};
  if (!('on' in workflow) && !('jobs' in workflow)) return { push: null };
  const { on } = workflow;
  return isConfigObject(on) ? on : Object.fromEntries(toTexts(on)?.map((event) => [event, null]) ?? []);
}

/** Filters of an event: a run happens for what they list. */
const FILTERS = ['branches', 'tags', 'paths', 'types'];
/** What a pull request does where nothing is listed. */
const DEFAULT_TYPES = ['opened', 'synchronize', 'reopened'];

/** An event that a workflow has before and after, and that now starts fewer runs; undefined: none. */
function findNarrowedEvent({ base, head }: ChangedCiFile): string | undefined {
  const [then, now] = [eventsOf(base), eventsOf(head)];
  return EVENTS.find((event) => {
    const before = then[event] ?? {};
    const after = now[event] ?? {};
    if (!isConfigObject(before) || !isConfigObject(after)) return false;
    return FILTERS.some((filter) => {
      const old = toTexts(before[filter]) ?? (filter === 'types' ? DEFAULT_TYPES : null);
      const listed = toTexts(after[filter]);
      const excluded = (listed ?? []).filter((each) => each.startsWith('!'));
      const ignored = toTexts(after[`${filter}-ignore`]) ?? [];
      const wasIgnored = toTexts(before[`${filter}-ignore`]) ?? [];
      return (
        (listed !== null && !listed.includes('**') && !old?.every((each) => listed.includes(each))) ||
        excluded.some((each) => !old?.includes(each)) ||
        ignored.some((each) => !wasIgnored.includes(each))
      );
    });
  });
}

const toTexts = (value: unknown): string[] | null =>
  typeof value === 'string' ? [value] : Array.isArray(value) ? value.map(String) : null;

function parseOrNull(text: string | null): unknown {
  try {
    return parse(text ?? '', { maxAliasCount: 100, logLevel: 'error' });
  } catch {
    return null;
  }
}

/** Keys and values, one in a line, as they are without quotes, escapes and aliases. */
function flatten(value: unknown, depth = 0): string[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((each) => flatten(each, depth + 1));
  return isConfigObject(value)
    ? Object.entries(value).flatMap(([key, inner]) =>
        typeof inner === 'object' && inner !== null
          ? [`${key}:`, ...flatten(inner, depth + 1)]
          : [`${key}: ${String(inner)}`],
      )
    : [String(value)];
}

/** Deepest value that is looked at; an alias may lead in a circle. */
const MAX_DEPTH = 50;
