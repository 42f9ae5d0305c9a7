/** One comment of a new line that breaks the language guide. */
export interface CommentFinding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** First words that leave open which thing a comment describes. */
const VAGUE_FIRST_WORD = /^(what|who|whom|whose|which|whether|whoever|whatever|of|null)\b/i;
/** First words that are neither a verb nor a noun: prepositions, conjunctions, pronouns, adverbs. */
const NO_VERB_OR_NOUN =
  /^(as|how|where|when|why|if|in|on|at|by|for|from|to|with|without|after|before|and|but|or|not|it|its|they|their|that)\b/i;
const BANNED_PHRASE = /\b(nobody|somebody|whoever|is told|a word of)\b/i;

type CommentStart = 'doc' | 'line' | 'continuation';
interface Comment {
  readonly start: CommentStart;
  readonly text: string;
}

/** Reads the comment of one line by its first characters; `// …` after code counts where code cannot be a string. */
function readComment(line: string, previous: string): Comment | null {
  const doc = /^\s*\/\*\*\s*(.*?)\s*(?:\*\/)?\s*$/.exec(line);
  if (doc) return { start: 'doc', text: doc[1] ?? '' };
  const whole = /^\s*\/\/\s*(.*)$/.exec(line);
  if (whole) return { start: /^\s*\/\//.test(previous) ? 'continuation' : 'line', text: whole[1] ?? '' };
  const star = /^\s*\*(?!\/)\s?(.*?)\s*(?:\*\/)?\s*$/.exec(line);
  if (star) return { start: /^\s*\/\*\*\s*$/.test(previous) ? 'doc' : 'continuation', text: star[1] ?? '' };
  const trailing = /[;,{}()[\]]\s+\/\/\s*(.*)$/.exec(line);
  return trailing ? { start: 'line', text: trailing[1] ?? '' } : null;
}

/** Returns why a comment breaks the guide, or null. */
function commentFault({ start, text }: Comment): string | null {
  const phrase = BANNED_PHRASE.exec(text);
  if (phrase) return `"${phrase[0]}": name the actor (reviewer, operator, dispatcher …)`;
  const first = text.split(/[\s:,]/, 1)[0];
  if (start !== 'continuation' && VAGUE_FIRST_WORD.test(text))
    return `begins with "${first}": begin with the subject, or with a verb (Returns …)`;
  if (start === 'doc' && NO_VERB_OR_NOUN.test(text))
    return `begins with "${first}": a doc comment begins with a verb or a noun`;
  return null;
}

/** Checks the comments on the given lines (from 1) of a file. */
export function checkComments(path: string, text: string, lines: ReadonlySet<number>): CommentFinding[] {
  const all = text.split('\n');
  return [...lines].flatMap((line) => {
    const comment = readComment(all[line - 1] ?? '', all[line - 2] ?? '');
    const message = comment && commentFault(comment);
    return message ? [{ path, line, message }] : [];
  });
}

/** Reads the added lines of each file from the output of `git diff -U0 --no-prefix`. */
export function parseAddedLines(diff: string): Map<string, Set<number>> {
  const files = new Map<string, Set<number>>();
  let lines = new Set<number>();
  let header = true;
  for (const row of diff.split('\n')) {
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(row);
    if (row.startsWith('diff --git ')) header = true;
    else if (header && row.startsWith('+++ ')) {
      lines = new Set();
      files.set(row.slice(4).replace(/\t$/, ''), lines);
    } else if (hunk) {
      header = false;
      const first = Number(hunk[1]);
      for (let at = first; at < first + Number(hunk[2] ?? 1); at++) lines.add(at);
    }
  }
  files.delete('/dev/null');
  return files;
}
