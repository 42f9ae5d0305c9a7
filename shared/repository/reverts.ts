/** A commit as it is known without its files. */
export interface SeenCommit {
  readonly id: string;
  /** None of a commit beyond which nothing was read. */
  readonly parents: readonly string[];
  /** When it was committed, as it says itself. */
  readonly at: string;
  readonly message: string;
}

/** A delivered commit that another one undoes. */
export interface SeenRevert {
  readonly task_id: string;
  readonly reverted: string;
  readonly commit: string;
  readonly at: string;
}

/** What a commit says that it undoes: a commit, or what a merge had brought to one of its parents. */
export interface Undoing {
  readonly commit: string;
  readonly parent: string | null;
}

/** Most that are told at once. */
export const MAX_REVERTS = 50;

type Commits = ReadonlyMap<string, SeenCommit>;

const REF = String.raw`([0-9a-f]{7,64})(?: \([^\n]*\))?`;
/** The sentence of `git revert` (also with `-m`, and with `--reference`), to the end of its line. */
const SENTENCE = new RegExp(
  String.raw`^This reverts commit ${REF}(?:, reversing\r?\nchanges made to ${REF})?\.[ \t\r]*(?:\n|$)`,
);
const TRAILER = /^Assay-Task: ([A-Za-z0-9][A-Za-z0-9_-]{0,63})[ \t\r]*$/gm;
/** Commits of one branch that a merge has brought, at most. */
const MOST_OF_A_MERGE = 50;

/** What a message undoes, in git's own words: a paragraph of it begins with the sentence. Within one, indented or quoted it is talk. */
export const undoings = (message: string): Undoing[] =>
  message.split(/\n\s*\n/).flatMap((paragraph) => {
    const [, commit, parent = null] = SENTENCE.exec(paragraph.replace(/^\n+/, '')) ?? [];
    return commit === undefined ? [] : [{ commit, parent }];
  });

/** The tasks that a message says it delivers: one, or those of all commits that a forge has squashed. */
export const tasksNamed = (message: string): string[] => [
  ...new Set([...message.matchAll(TRAILER)].flatMap(([, id]) => id ?? [])),
];

const isFull = (id: string): boolean => id.length === 40 || id.length === 64;

/** The one that is called so; null where that is none of these, or could be several. */
function named(commits: Commits, id: string): SeenCommit | null {
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
function brought(commits: Commits, { parents }: SeenCommit, to: string): string[] {
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

/** Who undoes each commit. */
function undoers(commits: Commits): Map<string, SeenCommit[]> {
  const by = new Map<string, SeenCommit[]>();
  for (const undoer of commits.values())
    for (const { commit, parent } of undoings(undoer.message)) {
      const undone = named(commits, commit);
      if (undone === null) continue;
      const all = [undone.id, ...(parent === null ? [] : brought(commits, undone, parent))];
      for (const id of all) by.set(id, [...(by.get(id) ?? []), undoer]);
    }
  return by;
}

/** Commits that are named in full as undone, and are not among these. */
export const beyond = (commits: Commits): string[] => [
  ...new Set(
    [...commits.values()]
      .flatMap(({ message }) => undoings(message))
      .flatMap(({ commit }) => (isFull(commit) && !commits.has(commit) ? [commit] : [])),
  ),
];

/** Delivered commits that stand undone in this history, each once. What was undone and then done again stands. */
export function revertsAmong(commits: Commits): SeenRevert[] {
  const by = undoers(commits);
  const known = new Map<string, SeenCommit | null>();
  /** The commit that undoes it and stands itself. A short name could be its own undoer's: the question that is open is not asked again. */
  const undoerOf = (id: string): SeenCommit | null => {
    const answer = known.get(id);
    if (answer !== undefined) return answer;
    known.set(id, null);
    const found = (by.get(id) ?? []).find((each) => undoerOf(each.id) === null) ?? null;
    known.set(id, found);
    return found;
  };
  return [...by.keys()].flatMap((reverted) => {
    const undoer = undoerOf(reverted);
    const message = commits.get(reverted)?.message;
    if (undoer === null || message === undefined) return [];
    const { id: commit, at } = undoer;
    return tasksNamed(message).map((task_id) => ({ task_id, reverted, commit, at }));
  });
}
