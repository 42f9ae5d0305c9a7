import { definedIn } from '../../../code/parsing/definitions.ts';
import { parse, type SyntaxProblem } from '../../../code/parsing/parse.ts';
import { isValidElsewhere } from '../../../code/parsing/second-opinion.ts';
import type { Syntax } from '../../../code/parsing/syntax.ts';
import { ThereBefore } from '../../../code/parsing/there-before.ts';
import { Unreadable } from '../../../code/parsing/unreadable.ts';
import type { ChangedText } from '../../../core/changed-texts.ts';
import { type Grammar, grammarOf, isOwnCode, type Language, languageOf } from '../../../core/language.ts';
import type { Seen } from '../../../core/seen.ts';
import { isTestPath } from '../../../core/test-paths.ts';
import { detection } from './detection.ts';
import { emptiedFile } from './emptied.ts';
import { exits } from './exits.ts';
import { goDeceits } from './go.ts';
import { hasContent, hollowed } from './hollow.ts';
import type { Deceit } from './model.ts';
import { equalities, patches } from './patches.ts';
import { aliasesOf } from './paths.ts';
import { refusals, rustDeceits } from './rust.ts';
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
  /** What the file still defines; null where nobody can tell. */
  readonly defines: ReadonlySet<string> | null;
  /** What it defined, where nothing is left of it. */
  readonly emptiedOf: ReadonlySet<string> | null;
}

/** What changed files do to those who check them. What is moved to another file is not added. */
export async function deceitsIn(
  texts: readonly ChangedText[],
  required: readonly string[] = [],
): Promise<readonly Seen[]> {
  const looked: Looked[] = [];
  for (const text of texts) {
    const one = await lookAt(text, required);
    if (one) looked.push(one);
  }
  const keyOf = ({ rule, key }: Deceit): string => `${rule} ${key.replace(/\s+/g, ' ')}`;
  const known = new ThereBefore(looked.flatMap(({ before }) => before.map(keyOf)));
  return looked.flatMap((file) => [
    ...file.seen,
    ...emptied(file, looked),
    ...file.after.flatMap((deceit): Seen[] => {
      const { rule, line, message, weight } = deceit;
      return known.take(keyOf(deceit)) ? [] : [{ file: file.path, line, rule, message, weight }];
    }),
  ]);
}

async function lookAt(
  { path, from, before, after }: ChangedText,
  required: readonly string[],
): Promise<Looked | null> {
  const grammar = grammarOf(path);
  const earlier = from === null ? null : grammarOf(from);
  const then = before === null || earlier === null ? null : await readOf(earlier, before);
  const base = then && 'root' in then ? then.root : null;
  const old = base && from !== null && earlier ? deceits(base, from, languageOf(earlier)) : [];
  const gone = { path, before: old, after: [], seen: [], defines: null, emptiedOf: null };
  if (after === null || grammar === null) return gone;
  const now = await readOf(grammar, after);
  const isOwn = isOwnCode(path);
  const seen = isOwn ? await readability(path, grammar, after, then, now, before !== null) : [];
  if (!('root' in now)) return { ...gone, seen };
  const { root } = now;
  const language = languageOf(grammar);
  if (language === 'rust' && base !== null && refusals(base) > refusals(root))
    seen.push({
      file: path,
      line: null,
      rule: 'lint_suppressed',
      message: 'what was denied here no longer is',
      weight: required.includes('lint') ? 'fails' : 'reported',
    });
  const isEmptied = base !== null && hasContent(base) && !hasContent(root) && !path.endsWith('__init__.py');
  const isFollowed = language === 'python' || language === 'javascript';
  const hollow = base && isFollowed && isOwn && !isEmptied && !isTestPath(path) ? hollowed(base, root) : [];
  const found = deceits(root, path, language);
  return {
    path,
    before: old,
    after: [...(isOwn ? found : found.map(lowered)), ...hollow],
    seen,
    defines: definedIn(root),
    emptiedOf: isEmptied ? definedIn(base) : null,
  };
}

/** A file that has nothing left. Documentation of a package of Go may stay behind alone, where all of its code moved. */
function emptied({ path, emptiedOf }: Looked, all: readonly Looked[]): Seen[] {
  if (emptiedOf === null) return [];
  const there = new Set(all.flatMap(({ defines }) => [...(defines ?? [])]));
  if (path.endsWith('.go') && [...emptiedOf].every((name) => there.has(name))) return [];
  return [emptiedFile(path)];
}

/** What no package does that is loaded, whoever has written it. */
const NOBODY = /^(?:ends_process|rewrites_exit_code|runner_patched)$/;
/** Code of others is reported: nobody here has written it. */
const lowered = (each: Deceit): Deceit => ({
  ...each,
  weight: NOBODY.test(each.rule) && each.weight !== 'reported' ? 'unclear' : 'reported',
});

/** What tests of Python and JavaScript do is looked at by the gate for tests. */
function deceits(root: Syntax, path: string, language: Language): Deceit[] {
  const isTest = isTestPath(path);
  if (language === 'go') return goDeceits(root, isTest);
  if (language === 'rust') return rustDeceits(root, path, isTest);
  if (isTest) return [];
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
