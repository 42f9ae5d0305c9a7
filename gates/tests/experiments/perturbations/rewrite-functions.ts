import { isTestPath } from '../../../../shared/contract/evidence/test-path.ts';
import { editTree, type GitTreeEdit, writeBlob } from '../../../../workspace/git/edit-tree.ts';
import { isRegularFile, listFiles } from '../../../../workspace/git/list-files.ts';
import { readBlobs } from '../../../../workspace/git/read-blobs.ts';
import { isRustTestModule } from '../../../code/parsing/definitions.ts';
import { parseSource } from '../../../code/parsing/parse-source.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import { UnreadableCodeError } from '../../../code/parsing/unreadable-code-error.ts';
import {
  type Grammar,
  grammarOfPath,
  isProjectCodePath,
  type Language,
  languageOfGrammar,
} from '../../../core/language.ts';
import type { PatchToCheck } from '../../../core/patch-to-check.ts';

/** A piece of a text that is replaced; offsets in UTF-16 units. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** It ends what another piece begins. */
  readonly closesOther?: boolean;
}

/** A function that has something to do, and how it would be made to do nothing so that the language still takes it. */
export interface StubbableFunction {
  readonly name: string;
  /** Lines that it stands on, 1-based. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** Offsets of what is replaced, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** It answers nothing: null, zero, an empty list; null where nobody can say what that would be. */
  readonly returnsNothing: string | null;
  /** It breaks off. */
  readonly raises: string;
  /** It answers nothing as it is: to empty it changes nothing that any test could notice. */
  readonly alreadyReturnsNothing: boolean;
}

const FUNCTION_NODE_TYPES: Readonly<Record<Language, RegExp>> = {
  python: /^function_definition$/,
  javascript:
    /^(?:function_declaration|generator_function_declaration|method_definition|arrow_function|function_expression)$/,
  go: /^(?:function_declaration|method_declaration)$/,
  rust: /^function_item$/,
};
/** What a language, or its usual libraries, call to find out whether two values are the same. */
export const EQUALITY_FUNCTION_NAME_PATTERN = /^(?:__eq__|__ne__|eq|ne|equals?|isEqual|Equals?)$/;
/** What gives a function of JavaScript its name; one that is handed on at once has none. */
const NAMING_NODE =
  /^(?:variable_declarator|assignment_expression|pair|public_field_definition|field_definition)$/;

/**
 * The functions of a file that have a name and a body, those of tests left out. What a function answers instead of working is the
 * coarsest of mutants: tests that do not notice it do not ask what the function is for.
 */
export function findStubbableFunctions(root: SyntaxNode, language: Language): StubbableFunction[] {
  const found: StubbableFunction[] = [];
  for (const node of root.walk((inner) => !isRustTestModule(inner))) {
    if (!FUNCTION_NODE_TYPES[language].test(node.type)) continue;
    const name = getFunctionNodeName(node);
    const body = node.childForField('body');
    if (name === null || body === null || hasEmptyBody(body)) continue;
    const place = { name, firstLine: node.line, lastLine: lastLineOf(node) };
    found.push({
      ...place,
      ...STUBBERS[language](node, body),
      alreadyReturnsNothing: ZERO_VALUE.test(soleReturnValue(body)),
    });
  }
  return found;
}

export function getFunctionNodeName(node: SyntaxNode): string | null {
  const own = node.childForField('name');
  if (own) return own.text;
  const above = node.parent;
  if (!above || !NAMING_NODE.test(above.type)) return null;
  const given =
    above.childForField('name') ??
    above.childForField('left') ??
    above.childForField('key') ??
    above.childForField('property');
  return given?.text ?? null;
}

const lastLineOf = (node: SyntaxNode): number => node.line + node.text.split('\n').length - 1;

/** Nothing, a comment, `pass`, or a refusal to work. */
const hasEmptyBody = (body: SyntaxNode): boolean =>
  /block/.test(body.type) &&
  body.namedChildren.every(
    ({ type, text }) =>
      /comment|pass_statement|^empty_statement$/.test(type) ||
      /^(?:["'.]|return(?: (?:None|null|undefined|nil))?;?$|raise\b|throw\b|panic|todo!|unimplemented!)/.test(
        text,
      ),
  );

/** What a body of one statement answers; '' where it does more. */
function soleReturnValue(body: SyntaxNode): string {
  const [only, more] = body.namedChildren.filter(({ type }) => !/comment/.test(type));
  return only === undefined || more !== undefined ? '' : only.text.replace(/^return\s+|;$/g, '');
}

/** The values that `nothing` stands for in Go and Rust. */
const ZERO_VALUE =
  /^(?:0(?:\.0)?|false|nil|None|""|' '|\(\)|String::new\(\)|Vec::new\(\)|vec!\[\]|Ok\(\(\)\))$/;

type Stubber = (
  node: SyntaxNode,
  body: SyntaxNode,
) => Pick<StubbableFunction, 'start' | 'end' | 'returnsNothing' | 'raises'>;

/** Statements in front of a body in braces. What follows them stays, so that nothing that it uses is unused. */
const insertBefore = (body: SyntaxNode, nothing: string | null, breaks: string): ReturnType<Stubber> => ({
  start: body.start + 1,
  end: body.start + 1,
  returnsNothing: nothing === null ? null : ` ${nothing} `,
  raises: ` ${breaks} `,
});

const STUBBERS: Readonly<Record<Language, Stubber>> = {
  python: (_node, body) => {
    const lineStart = body.source.lastIndexOf('\n', body.start - 1) + 1;
    const before = body.source.slice(lineStart, body.start);
    const next = before.trim() === '' ? `\n${before}` : '; ';
    return {
      start: body.start,
      end: body.start,
      returnsNothing: `return None${next}`,
      raises: `raise RuntimeError("switched off")${next}`,
    };
  },
  javascript: (_node, body) =>
    body.type === 'statement_block'
      ? insertBefore(body, 'return undefined;', "throw new Error('switched off');")
      : {
          start: body.start,
          end: body.end,
          returnsNothing: 'undefined',
          raises: "(() => { throw new Error('switched off'); })()",
        },
  go: (node, body) =>
    insertBefore(body, goZeroReturn(node.childForField('result')), 'panic("switched off");'),
  rust: (node, body) => {
    const zero = rustZeroValue(node.childForField('return_type')?.text ?? '()');
    // Under a condition, because lints take what follows for code that is never reached.
    return insertBefore(
      body,
      zero === null ? null : `if true { return ${zero}; }`,
      'if true { panic!("switched off"); }',
    );
  },
};

/** `*new(T)` is the zero of any type, also of a parameter. */
function goZeroReturn(result: SyntaxNode | null): string | null {
  if (result === null) return 'return;';
  if (result.type !== 'parameter_list') return `return *new(${result.text});`;
  const types = result.namedChildren.flatMap((each) => {
    const type = each.childForField('type')?.text;
    const names = each.childrenForField('name').length;
    return type === undefined ? [] : Array.from({ length: Math.max(1, names) }, () => type);
  });
  return types.length === 0 ? null : `return ${types.map((type) => `*new(${type})`).join(', ')};`;
}

const RUST_ZEROS: readonly (readonly [RegExp, string])[] = [
  [/^\(\)$/, '()'],
  [/^bool$/, 'false'],
  [/^(?:[iu](?:8|16|32|64|128|size))$/, '0'],
  [/^f(?:32|64)$/, '0.0'],
  [/^char$/, "' '"],
  [/^(?:std::string::)?String$/, 'String::new()'],
  [/^&(?:'\w+ )?str$/, '""'],
  [/^(?:std::option::)?Option</, 'None'],
  [/^(?:std::vec::)?Vec</, 'Vec::new()'],
];

/** The value of nothing of a type of Rust, where its name tells. */
export function rustZeroValue(type: string): string | null {
  const known = RUST_ZEROS.find(([pattern]) => pattern.test(type))?.[1];
  if (known !== undefined) return known;
  const ok = /^(?:\w+::)*Result<([^,<>()]+|\(\)\s*|[\w:]+<[^<>]*>\s*)[,>]/.exec(type)?.[1];
  const inner = ok === undefined ? null : rustZeroValue(ok.trim());
  return inner === null ? null : `Ok(${inner})`;
}

/** Most files of code that are written in another way. In a larger project nobody could say what a test that passes means. */
const MAX_REWRITTEN_FILES = 400;

/** What runs tests, or is run to build, is no code under test. */
const RUNNER_FILE = /(?:^|\/)(?:conftest|setup|noxfile|build)\.(?:py|rs)$|\.config\.[cm]?[jt]s$/;

/** The text of a file of code in another way; null: as it was. */
type RewriteFile = (file: {
  readonly path: string;
  readonly text: string;
  readonly grammar: Grammar;
}) => Promise<string | null>;

/**
 * A tree with its code written in another way; tests, and what lies beside them, are as they were.
 * @returns null where nothing is, or where there is too much code.
 */
export async function writeTreeWithRewrittenCode(
  { store }: Pick<PatchToCheck, 'store'>,
  tree: string,
  rewrite: RewriteFile,
): Promise<string | null> {
  const files = (await listFiles(store, tree)).filter(
    (file) =>
      isRegularFile(file) &&
      isProjectCodePath(file.path) &&
      !isTestPath(file.path) &&
      !RUNNER_FILE.test(file.path),
  );
  if (files.length === 0 || files.length > MAX_REWRITTEN_FILES) return null;
  const texts = await readBlobs(
    store,
    files.map(({ id }) => id),
  );
  const edits: GitTreeEdit[] = [];
  for (const { path, id, mode } of files) {
    const text = texts.get(id)?.toString('utf8');
    const grammar = grammarOfPath(path);
    const made =
      text === undefined || grammar === null
        ? null
        : await nullIfUnreadable(rewrite({ path, text, grammar }));
    if (made !== null) edits.push({ path, entry: { id: writeBlob(store, made), mode } });
  }
  return edits.length === 0 ? null : editTree(store, tree, edits);
}

/** What a file becomes; one that cannot be read, or is too deep to be walked, stays as it was. */
async function nullIfUnreadable(rewriting: Promise<string | null>): Promise<string | null> {
  try {
    return await rewriting;
  } catch (error) {
    if (error instanceof UnreadableCodeError || error instanceof RangeError) return null;
    throw error;
  }
}

/** What functions do instead of working. */
type StubBehaviour = 'nothing' | 'breaks';

/** A tree in which no function of the project works any more. @returns null as `writeTreeWithRewrittenCode` does. */
export const writeTreeWithStubbedFunctions = (
  subject: Pick<PatchToCheck, 'store'>,
  tree: string,
  how: StubBehaviour,
  isLeftOut: (path: string) => boolean = () => false,
): Promise<string | null> =>
  writeTreeWithRewrittenCode(subject, tree, async ({ path, grammar, text }) => {
    if (isLeftOut(path)) return null;
    const found = findStubbableFunctions((await parseSource(grammar, text)).root, languageOfGrammar(grammar));
    return found.length === 0 ? null : stubAllInText(text, found, how);
  });

/** What lies within something that is replaced goes with it. */
function stubAllInText(text: string, functions: readonly StubbableFunction[], how: StubBehaviour): string {
  let off = '';
  let at = 0;
  for (const { start, end, returnsNothing, raises } of functions.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    off += text.slice(at, start) + (how === 'nothing' ? (returnsNothing ?? raises) : raises);
    at = end;
  }
  return off + text.slice(at);
}

/** What becomes of one function; empty: nothing. */
type FunctionEdit = (at: {
  readonly language: Language;
  readonly node: SyntaxNode;
  readonly body: SyntaxNode;
  /** The last word of its name. */
  readonly name: string;
  readonly path: string;
}) => readonly TextEdit[];

export interface FunctionRewriteRules {
  readonly inFunctions: FunctionEdit;
  /** What is put at the end of a file in which something was replaced. */
  readonly atEnd?: (language: Language, path: string) => string;
}

/** A tree with functions of its code written in another way. @returns null as `writeTreeWithRewrittenCode` does. */
export const writeTreeWithRewrittenFunctions = (
  subject: Pick<PatchToCheck, 'store'>,
  tree: string,
  edit: FunctionRewriteRules,
): Promise<string | null> =>
  writeTreeWithRewrittenCode(subject, tree, ({ grammar, path, text }) =>
    rewriteFunctionsInText(grammar, path, text, edit),
  );

/** The text of a file with its functions written in another way; null where none is. */
export async function rewriteFunctionsInText(
  grammar: Grammar,
  path: string,
  text: string,
  { inFunctions, atEnd }: FunctionRewriteRules,
): Promise<string | null> {
  const language = languageOfGrammar(grammar);
  const { root } = await parseSource(grammar, text);
  const all: TextEdit[] = [];
  for (const node of root.walk((inner) => !isRustTestModule(inner))) {
    if (!FUNCTION_NODE_TYPES[language].test(node.type)) continue;
    const body = node.childForField('body');
    const name = getFunctionNodeName(node)?.split('.').at(-1);
    if (name !== undefined && body !== null) all.push(...inFunctions({ language, node, body, name, path }));
  }
  return all.length === 0 ? null : applyEdits(text, all) + (atEnd?.(language, path) ?? '');
}

/** Pieces lie beside each other or within: each replaces nothing, or what none of the others touches. What begins last ends first. */
function applyEdits(text: string, all: readonly TextEdit[]): string {
  const numbered = all.map((each, at) => ({ ...each, at: each.closesOther ? -at - 1 : at }));
  const inOrder = numbered.toSorted((a, b) => a.start - b.start || a.at - b.at);
  let made = '';
  let at = 0;
  for (const { start, end, replacement } of inOrder) {
    made += text.slice(at, start) + replacement;
    at = end;
  }
  return made + text.slice(at);
}

/**
 * What comes out of a function instead of what it came to. Unlike a mutant, which is another function, it works to its end: only what
 * the one who called it gets to see is another.
 * `fails`: where it would answer, it fails. `nothing`: where it would answer, it answers nothing. `no failure`: where it would fail, it
 * answers nothing. `other value`: a number, a text, a part of what it answers is a little off. `other failure`: where it would fail, it
 * fails in another way, which is of no kind that the code knows.
 */
export type ReturnValueMutation = 'fails' | 'nothing' | 'no failure' | 'other value' | 'other failure';

/** How a language puts something in the place of what a function comes to. */
export interface ReturnValueMutator {
  /**
   * What is replaced in a function; empty where nobody can say how.
   * @param mark for names that no other file gives.
   */
  editsFor(node: SyntaxNode, body: SyntaxNode, how: ReturnValueMutation, mark: string): readonly TextEdit[];
  /** What the end of a file needs for it. */
  textAtEnd(how: ReturnValueMutation, mark: string): string;
  /**
   * Only who is called from outside of the code is changed, by itself. Otherwise those functions are that the tests name: a change that
   * goes through many hands is another one.
   */
  readonly mutatesOutermostCall: boolean;
}

export type ReturnValueMutators = Readonly<Record<Language, ReturnValueMutator>>;
