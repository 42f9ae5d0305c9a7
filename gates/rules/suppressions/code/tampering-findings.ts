import { isTestPath } from '../../../../shared/contract/evidence/test-path.ts';
import { BaselineOccurrences } from '../../../code/parsing/baseline-occurrences.ts';
import { collectDefinedNames } from '../../../code/parsing/definitions.ts';
import { isValidForNodeParser } from '../../../code/parsing/node-parser-check.ts';
import { parseSource, type SyntaxProblem } from '../../../code/parsing/parse-source.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import { UnreadableCodeError } from '../../../code/parsing/unreadable-code-error.ts';
import type { ChangedFileText } from '../../../core/changed-texts.ts';
import type { GateFinding } from '../../../core/gate-finding.ts';
import {
  type Grammar,
  grammarOfPath,
  isProjectCodePath,
  type Language,
  languageOfGrammar,
} from '../../../core/language.ts';
import { collectNameAliases } from './dotted-names.ts';
import { createEmptiedFileFinding, findEmptiedFunctions, hasExecutableContent } from './emptied-functions.ts';
import { findGoTampering } from './go-tampering.ts';
import type { TamperingFinding } from './native-syntax.ts';
import { findProcessExits } from './process-exits.ts';
import {
  findAlwaysEqualValues,
  findRunnerMonkeyPatches,
  isPytestHookFinding,
  isPytestPluginPath,
  isResultHookFinding,
} from './runner-monkey-patches.ts';
import { countDenyAttributes, findRustTampering } from './rust-tampering.ts';
import { findSwallowedErrors } from './swallowed-errors.ts';
import { findTestRunDetection } from './test-run-detection.ts';

/** Longest file, in characters, that is read. */
const MAX_CHARACTERS = 1_048_576;

/** Files in which ending the process is the work: programs, and scripts for people. */
const PROGRAM =
  /(^|\/)(?:bin|scripts?|cmd|tools?|commands?|cli)\/|(^|\/)(?:cli|main|__main__|index|server|setup|manage|start|run|app)\.\w+$/;
/** Files that say how tools are to be run, and may ask what runs them. */
const SETTINGS =
  /(^|\/)(?:config|settings|env|babel|webpack|rollup|next|logger|logging|log)\b[^/]*$|(^|\/)(?:config|settings)\//i;

interface ParsedText {
  readonly root: SyntaxNode;
  readonly problem: SyntaxProblem | null;
}

/** What is seen in one file, before it is told apart from what was there. */
interface InspectedFile {
  readonly path: string;
  readonly before: readonly TamperingFinding[];
  readonly after: readonly TamperingFinding[];
  readonly seen: readonly GateFinding[];
  /** What the file still defines; null where nobody can tell. */
  readonly defines: ReadonlySet<string> | null;
  /** What it defined, where nothing is left of it. */
  readonly emptiedOf: ReadonlySet<string> | null;
}

/** What changed files do to those who check them. What is moved to another file is not added. */
export async function findTamperingFindings(
  texts: readonly ChangedFileText[],
  required: readonly string[] = [],
): Promise<readonly GateFinding[]> {
  const looked: InspectedFile[] = [];
  for (const text of texts) {
    const one = await lookAt(text, required);
    if (one) looked.push(one);
  }
  const keyOf = ({ rule, key }: TamperingFinding): string => `${rule} ${key.replace(/\s+/g, ' ')}`;
  const known = new BaselineOccurrences(looked.flatMap(({ before }) => before.map(keyOf)));
  return looked.flatMap((file) => [
    ...file.seen,
    ...emptied(file, looked),
    ...file.after.flatMap((deceit): GateFinding[] => {
      const { rule, line, message, weight } = deceit;
      return known.takeOne(keyOf(deceit)) ? [] : [{ file: file.path, line, rule, message, severity: weight }];
    }),
  ]);
}

async function lookAt(
  { path, basePath, before, after }: ChangedFileText,
  required: readonly string[],
): Promise<InspectedFile | null> {
  const grammar = grammarOfPath(path);
  const earlier = basePath === null ? null : grammarOfPath(basePath);
  const then = before === null || earlier === null ? null : await readOf(earlier, before);
  const base = then && 'root' in then ? then.root : null;
  const old = base && basePath !== null && earlier ? deceits(base, basePath, languageOfGrammar(earlier)) : [];
  const gone = { path, before: old, after: [], seen: [], defines: null, emptiedOf: null };
  if (after === null || grammar === null) return gone;
  const now = await readOf(grammar, after);
  const isOwn = isProjectCodePath(path);
  const seen = isOwn ? await readability(path, grammar, after, then, now, before !== null) : [];
  if (!('root' in now)) return { ...gone, seen };
  const { root } = now;
  const language = languageOfGrammar(grammar);
  if (language === 'rust' && base !== null && countDenyAttributes(base) > countDenyAttributes(root))
    seen.push({
      file: path,
      line: null,
      rule: 'lint_suppressed',
      message: 'what was denied here no longer is',
      severity: required.includes('lint') ? 'error' : 'info',
    });
  const isEmptied =
    base !== null &&
    hasExecutableContent(base) &&
    !hasExecutableContent(root) &&
    !path.endsWith('__init__.py');
  const isFollowed = language === 'python' || language === 'javascript';
  const hollow =
    base && isFollowed && isOwn && !isEmptied && !isTestPath(path) ? findEmptiedFunctions(base, root) : [];
  const isPlugin = isPytestPluginPath(path) && old.some(isPytestHookFinding);
  const found = deceits(root, path, language).map(
    (each): TamperingFinding =>
      isPlugin && isPytestHookFinding(each) && !isResultHookFinding(each)
        ? { ...each, weight: 'info' }
        : each,
  );
  return {
    path,
    before: old,
    after: [...(isOwn ? found : found.map(lowered)), ...hollow],
    seen,
    defines: collectDefinedNames(root),
    emptiedOf: isEmptied ? collectDefinedNames(base) : null,
  };
}

/** A file that has nothing left. Documentation of a package of Go may stay behind alone, where all of its code moved. */
function emptied({ path, emptiedOf }: InspectedFile, all: readonly InspectedFile[]): GateFinding[] {
  if (emptiedOf === null) return [];
  const there = new Set(all.flatMap(({ defines }) => [...(defines ?? [])]));
  if (path.endsWith('.go') && [...emptiedOf].every((name) => there.has(name))) return [];
  return [createEmptiedFileFinding(path)];
}

/** What no package does that is loaded, whoever has written it. */
const NOBODY = /^(?:ends_process|rewrites_exit_code|runner_patched)$/;
/** Code of others is reported: nobody here has written it. */
const lowered = (each: TamperingFinding): TamperingFinding => ({
  ...each,
  weight: NOBODY.test(each.rule) && each.weight !== 'info' ? 'warning' : 'info',
});

/** What tests of Python and JavaScript do is looked at by the gate for tests. */
function deceits(root: SyntaxNode, path: string, language: Language): TamperingFinding[] {
  const isTest = isTestPath(path);
  if (language === 'go') return findGoTampering(root, isTest);
  if (language === 'rust') return findRustTampering(root, path, isTest);
  if (isTest) return [];
  const aliases = collectNameAliases(root);
  return [
    ...findProcessExits(root, aliases, PROGRAM.test(path)),
    ...findRunnerMonkeyPatches(root, aliases, path),
    ...findAlwaysEqualValues(root),
    ...(SETTINGS.test(path) ? [] : findTestRunDetection(root, aliases)),
    ...findSwallowedErrors(root, aliases),
  ];
}

type ParseOutcome = ParsedText | { readonly unreadable: string };

async function readOf(grammar: Grammar, text: string): Promise<ParseOutcome> {
  if (text.length > MAX_CHARACTERS) return { unreadable: 'is too large to be looked at' };
  if (text.includes('\0')) return { unreadable: 'is not text: it has NUL bytes' };
  try {
    return await parseSource(grammar, text);
  } catch (error) {
    if (error instanceof UnreadableCodeError) return { unreadable: error.message };
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
  then: ParseOutcome | null,
  now: ParseOutcome,
  wasThere: boolean,
): Promise<GateFinding[]> {
  const isTest = isTestPath(path) && !wasThere;
  if ('unreadable' in now) {
    const was = then !== null && 'unreadable' in then;
    const weight = was ? 'existing' : isTest ? 'info' : wasThere && then !== null ? 'error' : 'warning';
    return [{ file: path, line: null, rule: 'not_readable', message: now.unreadable, severity: weight }];
  }
  const encoding = grammar === 'python' ? foreignEncoding(text) : null;
  if (encoding !== null)
    return [
      {
        file: path,
        line: null,
        rule: 'not_readable',
        message: `is read by Python as ${encoding}, so that it says something else than it seems to`,
        severity: 'error',
      },
    ];
  if (now.problem === null || (await isValidForNodeParser(grammar, text))) return [];
  const { line, count } = now.problem;
  const finding = { file: path, line, rule: 'does_not_parse' };
  if (then && 'root' in then && then.problem)
    return [
      {
        ...finding,
        message: 'does not parse',
        severity: count > then.problem.count ? 'warning' : 'existing',
      },
    ];
  if (then && 'root' in then) return [{ ...finding, message: 'no longer parses', severity: 'error' }];
  return [{ ...finding, message: 'does not parse', severity: isTest ? 'info' : 'warning' }];
}
