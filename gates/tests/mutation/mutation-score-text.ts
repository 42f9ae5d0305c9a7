/** A number as it stands in prose, and never a part of a date, a path, a version or a time. */
const NUMBER = '(?<![\\w./:-])(\\d{1,7})(?![\\w/:-]|\\.\\d)';
/** A word as such, and not a part of a file's name or of another word. */
const END = '\\b(?!-|\\.\\w)';
const KILLED = `(?:killed|caught|detected)${END}`;
const SURVIVED = `(?:survived|survivors?|lived|missed|escaped)${END}`;

const named = (word: string): readonly RegExp[] => [
  new RegExp(`\\b${word}[ \\t]{0,4}[:=]?[ \\t]{0,4}${NUMBER}`, 'i'),
  new RegExp(`${NUMBER}[ \\t]{0,4}(?:mutants?[ \\t]{1,4})?(?:were[ \\t]{1,4})?${word}`, 'i'),
];
const KILLED_COUNT = named(KILLED);
const SURVIVED_COUNT = named(SURVIVED);
/** The last line that mutmut 2 leaves: 🎉 killed, ⏰ timed out, 🤔 suspicious, 🙁 survived. */
const FACES =
  /🎉\s{0,4}(\d{1,7}).{0,20}⏰\s{0,4}(\d{1,7}).{0,20}🤔\s{0,4}(\d{1,7}).{0,20}🙁\s{0,4}(\d{1,7})/u;
const SCORE =
  /\b(?:mutation[ \t_-]{1,4}score(?:[ \t_-]{1,4}indicator)?|MSI)\b[^\n\d]{0,30}?(?<![\w./-])(\d{1,3}(?:\.\d{1,12})?)[ \t]{0,2}(%?)(?![\w/-]|\.\d)/i;
const OF = new RegExp(
  `${KILLED}[ \\t]{0,4}[:=]?[ \\t]{0,4}(\\d{1,7})[ \\t]{0,2}(?:/|of)[ \\t]{0,2}(\\d{1,7})(?![\\w/])|(?<![\\w./-])(\\d{1,7})[ \\t]{0,2}(?:/|of)[ \\t]{0,2}(\\d{1,7})[ \\t]{0,2}(?:mutants?[ \\t]{1,4})?(?:were[ \\t]{1,4})?${KILLED}`,
  'i',
);
/** Longest line that is read; what is longer is no summary. */
const MAX_LINE = 1_000;
/** Lines from the end that are read. */
const MAX_LINES = 5_000;

/**
 * The share of mutants that were noticed, from the summary that a tool prints; null when it says none. Only numbers beside a word
 * that says what they are count. Several scores: the lowest, because any line may be the output of a test.
 */
export function parseMutationScore(output: string): number | null {
  const lines = output
    .split(/[\r\n]+/)
    .slice(-MAX_LINES)
    .filter((line) => line.length <= MAX_LINE);
  const scores = lines.flatMap((line) => scoreIn(line) ?? []);
  if (scores.length > 0) return Math.min(...scores);
  return counts(lines);
}

function scoreIn(line: string): number | null {
  const [, value, percent] = SCORE.exec(line) ?? [];
  if (value !== undefined) {
    const score = Number(value);
    return within(percent === '%' || score > 1 ? score / 100 : score);
  }
  const [, ...parts] = OF.exec(line) ?? [];
  const [killed, all] = parts.filter((part) => part !== undefined).map(Number);
  return killed !== undefined && all !== undefined && all > 0 ? within(killed / all) : null;
}

const within = (score: number): number | null => (score >= 0 && score <= 1 ? score : null);

/** Killed and survived, each from the last line that says it: earlier ones tell of the progress. */
function counts(lines: readonly string[]): number | null {
  const last = (patterns: readonly RegExp[]): number | null => {
    for (const line of lines.toReversed())
      for (const pattern of patterns) {
        const value = pattern.exec(line)?.[1];
        if (value !== undefined) return Number(value);
      }
    return null;
  };
  const faces = lines.map((line) => FACES.exec(line)).findLast((match) => match !== null);
  const [, killed = 0, late = 0, odd = 0, alive = 0] = (faces ?? []).map(Number);
  if (faces) return share(killed + late, odd + alive);
  const noticed = last(KILLED_COUNT);
  const missed = last(SURVIVED_COUNT);
  return noticed === null || missed === null ? null : share(noticed, missed);
}

const share = (killed: number, survived: number): number | null =>
  killed + survived > 0 ? killed / (killed + survived) : null;
