import {
  parseMergedRequestReference,
  parseMergeRequestNumber,
  parseRevertReferences,
} from './revert-message.ts';

/** A commit as it is known without its files. */
export interface GitCommitMetadata {
  readonly id: string;
  /** None of a commit beyond which nothing was read. */
  readonly parents: readonly string[];
  /** When it was committed, as it says itself. */
  readonly at: string;
  readonly message: string;
}

/** What another commit undoes. */
export interface DetectedRevert {
  /** As the undone commit says itself. Null: it does not, and whoever knows what was merged may know. */
  readonly task_id: string | null;
  /** Null: a request is named, and no commit. */
  readonly reverted_commit: string | null;
  readonly reverted_request: number | null;
  readonly reverting_commit: string;
  readonly at: string;
}

/** Most that are told at once. */
export const MAX_REPORTED_REVERTS = 50;

type Commits = ReadonlyMap<string, GitCommitMetadata>;

const TRAILER = /^Assay-Task: ([A-Za-z0-9][A-Za-z0-9_-]{0,63})[ \t\r]*$/gm;
/** Commits of one branch that a merge has brought, at most. */
const MOST_OF_A_MERGE = 50;

/** The tasks that a message says it delivers: one, or those of all commits that a forge has squashed. */
export const parseTaskTrailers = (message: string): string[] => [
  ...new Set([...message.matchAll(TRAILER)].flatMap(([, id]) => id ?? [])),
];

const isFull = (id: string): boolean => id.length === 40 || id.length === 64;

/** The one that is called so; null where that is none of these, or could be several. */
function findCommit(commits: Commits, id: string): GitCommitMetadata | null {
  if (isFull(id)) return commits.get(id) ?? null;
  const [one, ...others] = [...commits.values()].filter((each) => each.id.startsWith(id));
  return one && others.length === 0 ? one : null;
}

function ancestors(commits: Commits, from: string): Set<string> {
  const found = new Set<string>();
  const next = [from];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    next.push(...(commits.get(id)?.parents ?? []));
  }
  return found;
}

/**
 * What a merge has brought to one of its parents: each branch back to where it left that parent's history. Where that is not known, its last
 * commit alone, which was certainly not there before.
 */
function commitsOfMerge(commits: Commits, { parents }: GitCommitMetadata, to: string): string[] {
  const present = parents.find((each) => each.startsWith(to));
  if (present === undefined) return [];
  const before = ancestors(commits, present);
  return parents
    .filter((each) => each !== present)
    .flatMap((tip) => {
      const branch: string[] = [];
      let at: string | undefined = tip;
      while (at !== undefined && !before.has(at) && branch.length < MOST_OF_A_MERGE) {
        branch.push(at);
        at = commits.get(at)?.parents[0];
      }
      return at !== undefined && before.has(at) ? branch : [tip];
    });
}

/** All that goes when one of these is undone: with a merge what it has brought to `parent`. */
const undoneCommits = (
  commits: Commits,
  undone: GitCommitMetadata,
  parent: string | null | undefined,
): string[] => [undone.id, ...(parent == null ? [] : commitsOfMerge(commits, undone, parent))];

/** Who undoes each commit, and each request by its name. */
function groupRevertingCommits(commits: Commits, repository: string): Map<string, GitCommitMetadata[]> {
  const by = new Map<string, GitCommitMetadata[]>();
  const merges = Map.groupBy(commits.values(), ({ message }) => parseMergedRequestReference(message));
  for (const undoer of commits.values())
    for (const each of parseRevertReferences(undoer.message, repository)) {
      const named = 'request' in each ? [each.request] : [];
      const undone =
        'request' in each ? (merges.get(each.request) ?? []) : [findCommit(commits, each.commit)];
      const gone = undone.flatMap((commit) => {
        if (commit === null) return [];
        const parent =
          'request' in each ? (commit.parents.length > 1 ? commit.parents[0] : null) : each.parent;
        return undoneCommits(commits, commit, parent);
      });
      for (const key of [...named, ...gone]) by.set(key, [...(by.get(key) ?? []), undoer]);
    }
  return by;
}

/** Commits that are named in full as undone, and are not among these. */
export const findMissingRevertedCommits = (commits: Commits, repository: string): string[] => [
  ...new Set(
    [...commits.values()]
      .flatMap(({ message }) => parseRevertReferences(message, repository))
      .flatMap((each) =>
        'commit' in each && isFull(each.commit) && !commits.has(each.commit) ? [each.commit] : [],
      ),
  ),
];

/**
 * What stands undone in this history, each once, those first that say whose work they are. What was undone and then done again stands.
 * @param repository whose history it is
 */
export function detectReverts(commits: Commits, repository: string): DetectedRevert[] {
  const by = groupRevertingCommits(commits, repository);
  const known = new Map<string, GitCommitMetadata | null>();
  /** The commit that undoes it and stands itself. A short name could be its own undoer's: the question that is open is not asked again. */
  const undoerOf = (key: string): GitCommitMetadata | null => {
    const answer = known.get(key);
    if (answer !== undefined) return answer;
    known.set(key, null);
    const found = (by.get(key) ?? []).find((each) => undoerOf(each.id) === null) ?? null;
    known.set(key, found);
    return found;
  };
  const seen = [...by.keys()].flatMap((key): DetectedRevert[] => {
    const undoer = undoerOf(key);
    if (undoer === null) return [];
    const { id: commit, at } = undoer;
    const undone = commits.get(key);
    if (undone === undefined)
      return [
        {
          task_id: null,
          reverted_commit: null,
          reverted_request: parseMergeRequestNumber(key),
          reverting_commit: commit,
          at,
        },
      ];
    const tasks = parseTaskTrailers(undone.message);
    // Of a revert that was reverted nothing is to be told: it is no work.
    if (tasks.length === 0 && parseRevertReferences(undone.message, repository).length > 0) return [];
    return (tasks.length > 0 ? tasks : [null]).map((task_id) => ({
      task_id,
      reverted_commit: key,
      reverted_request: null,
      reverting_commit: commit,
      at,
    }));
  });
  return [
    ...seen.filter(({ task_id }) => task_id !== null),
    ...seen.filter(({ task_id }) => task_id === null),
  ];
}
