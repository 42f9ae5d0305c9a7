import { type Grammar, grammarOf, isOwnCode, languageOf } from '../../../code/language.ts';
import { parse, type SyntaxProblem } from '../../../code/parse.ts';
import { isValidElsewhere } from '../../../code/second-opinion.ts';
import type { Seen } from '../../../code/seen.ts';
import type { Syntax } from '../../../code/syntax.ts';
import { ThereBefore } from '../../../code/there-before.ts';
import { Unreadable } from '../../../code/unreadable.ts';
import type { ChangedText } from '../../../engine/changed-texts.ts';
import { isTestPath } from '../../../languages/test-paths.ts';
import { detection } from './detection.ts';
import { exits } from './exits.ts';
import { hasContent, hollowed } from './hollow.ts';
import type { Deceit } from './model.ts';
import { equalities, patches } from './patches.ts';
import { aliasesOf } from './paths.ts';
import { swallowed } from './swallowed.ts';

/** Longest file, in characters, that is read. */
const MAX_CHARACTERS = 1_048_576;

/** Files in which ending the process is the work: programs, and scripts for people. */
const PROGRAM =
  /(^|\/)(?:bin|scripts?|cmd|tools?|commands?|cli)\/|(^|\/)(?:cli|main|__main__|index|server|setup|manage|start|run|app)\.\w+$/;
/** Files that say how tools are to be run, and may ask what runs them. */
const SETTINGS =
  /(^|\/)(?:config|settings|env|babel|webpack|rollup|next|logger|logging|log)\b[^/]*$|(^|\/)(?:config|settings)\//i;

interface Read {
  readonly root: Syntax;
  readonly problem: SyntaxProblem | null;
}

/** What is seen in one file, before it is told apart from what was there. */
interface Looked {
  readonly path: string;
  readonly before: readonly Deceit[];
  readonly after: readonly Deceit[];
  readonly seen: readonly Seen[];
  /** Whether the whole of the new version was understood. */
  readonly whole: boolean;
}

export interface Deceits {
  readonly seen: readonly Seen[];
  /** Files of which the syntax tree tells everything that patterns would have to guess. */
  readonly understood: ReadonlySet<string>;
}

/** What changed files of Python, JavaScript and TypeScript do to those who check them. What is moved to another file is not added. */
export async function deceitsIn(texts: readonly ChangedText[]): Promise<Deceits> {
  const looked: Looked[] = [];
  for (const text of texts) {
    const one = await lookAt(text);
    if (one) looked.push(one);
  }
  const keyOf = ({ rule, key }: Deceit): string => `${rule} ${key.replace(/\s+/g, ' ')}`;
  const known = new ThereBefore(looked.flatMap(({ before }) => before.map(keyOf)));
  const seen = looked.flatMap(({ path, after, seen: own }) => [
    ...own,
    ...after.flatMap((deceit): Seen[] => {
      const { rule, line, message, weight } = deceit;
      return known.take(keyOf(deceit)) ? [] : [{ file: path, line, rule, message, weight }];
    }),
  ]);
  return { seen, understood: new Set(looked.filter(({ whole }) => whole).map(({ path }) => path)) };
}

async function lookAt({ path, from, before, after }: ChangedText): Promise<Looked | null> {
  const grammar = grammarOf(path);
  const earlier = from === null ? null : grammarOf(from);
  const then = before === null || earlier === null ? null : await readOf(earlier, before);
  const base = then && 'root' in then ? then : null;
  const old = base && from !== null && earlier && isFollowed(earlier) ? deceits(base.root, from) : [];
  if (after === null || grammar === null || !isOwnCode(path))
    return { path, before: old, after: [], seen: [], whole: false };
  const now = await readOf(grammar, after);
  const seen = await readability(path, grammar, after, then, now, before !== null);
  if (!('root' in now) || !isFollowed(grammar)) return { path, before: old, after: [], seen, whole: false };
  const isEmptied =
    base !== null && hasContent(base.root) && !hasContent(now.root) && !path.endsWith('__init__.py');
  if (isEmptied)
    seen.push({
      file: path,
      line: null,
      rule: 'file_emptied',
      message: 'was emptied instead of deleted, so that whoever looks for it still finds it',
      weight: isTestPath(path) ? 'reported' : 'fails',
    });
  const hollow = base && !isEmptied && !isTestPath(path) ? hollowed(base.root, now.root) : [];
  return {
    path,
    before: old,
    after: [...deceits(now.root, path), ...hollow],
    seen,
    whole: now.problem === null,
  };
}

const isFollowed = (grammar: Grammar): boolean => /^(?:python|javascript)$/.test(languageOf(grammar));

/** What tests do is looked at by the gate for tests. */
function deceits(root: Syntax, path: string): Deceit[] {
  if (isTestPath(path)) return [];
  const aliases = aliasesOf(root);
  return [
    ...exits(root, aliases, PROGRAM.test(path)),
    ...patches(root, aliases),
    ...equalities(root),
    ...(SETTINGS.test(path) ? [] : detection(root, aliases)),
    ...swallowed(root, aliases),
  ];
}

type Outcome = Read | { readonly unreadable: string };

async function readOf(grammar: Grammar, text: string): Promise<Outcome> {
  if (text.length > MAX_CHARACTERS) return { unreadable: 'is too large to be looked at' };
  if (text.includes('\0')) return { unreadable: 'is not text: it has NUL bytes' };
  try {
    return await parse(grammar, text);
  } catch (error) {
    if (error instanceof Unreadable) return { unreadable: error.message };
    if (error instanceof RangeError) return { unreadable: 'is more than can be followed' };
    throw error;
  }
}

/** An encoding under which Python reads other text than stands there; null for the usual ones. */
function foreignEncoding(text: string): string | null {
  for (const line of text.split('\n', 2)) {
    const name = /^[ \t\f]*#.{0,200}?coding[:=][ \t]*([-\w.]{1,40})/.exec(line)?.[1];
    if (name)
      return /^(?:utf[-_]?8.*|ascii|us-ascii|latin[-_]?1.*|iso[-_]?8859.*|cp125\d|windows-125\d|koi8[-_]r|euc[-_]\w+|shift[-_]jis|gbk?|gb2312|big5)$/i.test(
        name,
      )
        ? null
        : name;
  }
  return null;
}

/** Code that is broken so that nobody can look into it. Broken code among the tests may be what they are about. */
async function readability(
  path: string,
  grammar: Grammar,
  text: string,
  then: Outcome | null,
  now: Outcome,
  wasThere: boolean,
): Promise<Seen[]> {
  const isTest = isTestPath(path) && !wasThere;
  if ('unreadable' in now) {
    const was = then !== null && 'unreadable' in then;
    const weight = was ? 'before' : isTest ? 'reported' : wasThere && then !== null ? 'fails' : 'unclear';
    return [{ file: path, line: null, rule: 'not_readable', message: now.unreadable, weight }];
  }
  const encoding = grammar === 'python' ? foreignEncoding(text) : null;
  if (encoding !== null)
    return [
      {
        file: path,
        line: null,
        rule: 'not_readable',
        message: `is read by Python as ${encoding}, so that it says something else than it seems to`,
        weight: 'fails',
      },
    ];
  if (now.problem === null || (await isValidElsewhere(grammar, text))) return [];
  const { line, count } = now.problem;
  const finding = { file: path, line, rule: 'does_not_parse' };
  if (then && 'root' in then && then.problem)
    return [
      { ...finding, message: 'does not parse', weight: count > then.problem.count ? 'unclear' : 'before' },
    ];
  if (then && 'root' in then) return [{ ...finding, message: 'no longer parses', weight: 'fails' }];
  return [{ ...finding, message: 'does not parse', weight: isTest ? 'reported' : 'unclear' }];
}
