import { evaluateConstantString } from '../../../code/parsing/string-literal.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import { getCallArguments, type NameAliases, resolveDottedName } from './dotted-names.ts';
import { getOutermostFunction } from './enclosing-functions.ts';
import type { TamperingFinding } from './native-syntax.ts';

/** Variables that runners set. */
const VARIABLES =
  /^(?:NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST(?:_\w+)?|PYTEST_\w+|MOCHA_\w+|TEST_WORKER_INDEX|TEST_PARALLEL_INDEX|NOSE_\w+|TOX_ENV_NAME|AVA_PATH|CYPRESS|KARMA_\w+)$/;
/** Names that only a runner defines. */
const GLOBALS =
  /^(?:jest|vi|vitest|mocha|jasmine|describe|it|beforeEach|afterEach|expect|__karma__|__coverage__|__vitest_worker__)$/;
/** Where code can see who is running it. */
const SEES =
  /^(?:process\.(?:argv|execArgv|title|mainModule)|require\.(?:main|cache)|module\.(?:parent|children|paths)|sys\.(?:modules|argv|orig_argv|gettrace|getprofile)|inspect\.(?:stack|currentframe|getouterframes)|sys\._getframe|traceback\.(?:extract_stack|format_stack|walk_stack)|import\.meta\.vitest|sys\._current_frames|Error\.(?:captureStackTrace|prepareStackTrace))(?:\.|$)/;
const RUNNERS =
  /\b(?:py\.?test|unittest|nose2?|jest|vitest|mocha|ava|test_runner|node:test)\b|(?:^|[^a-z])tests?(?:[^a-z]|$)|(?:^|[^a-z])spec(?:[^a-z]|$)|\.test\.|__main__\.py/i;

/** Code that can tell whether it is being tested. */
export function findTestRunDetection(root: SyntaxNode, aliases: NameAliases): TamperingFinding[] {
  const found = new Map<string, TamperingFinding>();
  const add = (node: SyntaxNode, message: string, weight: TamperingFinding['weight'] = 'error'): void => {
    const key = `${node.line}`;
    if (!found.has(key))
      found.set(key, {
        rule: 'detects_test_run',
        key: node.text.slice(0, 200),
        line: node.line,
        message,
        weight,
      });
  };
  /** Functions that look at who runs them, and those in which a runner is named. */
  const sees = new Map<SyntaxNode, SyntaxNode>();
  const names = new Set<SyntaxNode>();
  for (const node of root.walk()) {
    const text = /^(?:string|template_string|binary_expression|binary_operator|concatenated_string)$/.test(
      node.type,
    )
      ? evaluateConstantString(node)
      : null;
    const place = (): SyntaxNode => getOutermostFunction(node) ?? root;
    const see = (): void => {
      const where = place();
      if (!sees.has(where)) sees.set(where, node);
    };
    if (text !== null && VARIABLES.test(text) && !isListed(node))
      add(node, 'code that asks for a variable that only a test runner sets');
    if (asksByText(node)) add(node, 'code that asks whether a test runner is there');
    if (text !== null && text.length < 200 && RUNNERS.test(text) && !isImport(node)) names.add(place());
    if (node.type === 'regex' && RUNNERS.test(node.text.slice(0, 200))) names.add(place());
    if (
      /^(?:member_expression|attribute|identifier|shorthand_property_identifier_pattern|subscript_expression|subscript)$/.test(
        node.type,
      )
    ) {
      const path = resolveDottedName(node, aliases) ?? '';
      const last =
        path === '' ? (node.childForField('property')?.text ?? '') : (path.split('.').at(-1) ?? '');
      if (/(?:^|\.)env(?:iron)?\./.test(path) && VARIABLES.test(last))
        add(node, 'code that asks for a variable that only a test runner sets');
      if (node.type === 'shorthand_property_identifier_pattern' && VARIABLES.test(node.text))
        add(node, 'code that asks for a variable that only a test runner sets');
      if (/^(?:globalThis\.|global\.|window\.)/.test(node.text.slice(0, 12)) && GLOBALS.test(path))
        add(node, 'code that asks whether a test runner is there');
      if (SEES.test(path)) see();
      if (ASKED.test(path) && comparedWithTest(node))
        add(node, 'code that asks whether it is being tested', startsServer(node) ? 'info' : 'error');
      if (last === 'stack' && node.type !== 'identifier') see();
      if (path === 'module.parent' || path === 'import.meta.vitest')
        add(
          node,
          'code that asks who has loaded it',
          path === 'module.parent' && isBare(node) ? 'info' : 'error',
        );
    }
    if (node.type === 'shorthand_property_identifier_pattern' && node.text === 'stack') see();
    if (node.type === 'unary_expression' && node.children[0]?.text === 'typeof') {
      const asked = node.childForField('argument')?.text ?? '';
      if (GLOBALS.test(asked)) add(node, 'code that asks whether a test runner is there');
    }
    if (node.type === 'call' || node.type === 'call_expression') {
      const read = readsTests(node, aliases);
      if (read !== null) add(node, `code that reads ${read}`, 'warning');
    }
  }
  for (const [place, node] of sees)
    if (names.has(place)) add(node, 'code that looks at who runs it, and knows the name of a test runner');
  return [...found.values()];
}

/** `module.parent` on its own is how programs ask whether they are the main module. */
const isBare = (node: SyntaxNode): boolean => node.parent?.type !== 'member_expression';

/** A name among many, as in a list of variables to hand on, is no question. */
const isListed = (node: SyntaxNode): boolean =>
  /^(?:array|list|set|tuple)$/.test(node.parent?.type ?? '') && (node.parent?.namedChildren.length ?? 0) > 2;
const isImport = (node: SyntaxNode): boolean => {
  const call = node.parent?.parent;
  return (
    /import|export/.test(node.parent?.type ?? '') ||
    (call?.type === 'call_expression' && call.childForField('function')?.text === 'require')
  );
};

/** Where a surrounding says that it is a test. */
const ASKED = /^(?:process\.env\.(?:NODE_ENV|npm_lifecycle_(?:event|script))|import\.meta\.env\.MODE)$/;
const WITHIN =
  /^(?:member_expression|call_expression|arguments|array|binary_expression|parenthesized_expression|switch_statement)$/;
const MAX_QUESTION = 400;

/** Whether a value is asked for the word: compared with it, looked up in a list that has it, matched. */
function comparedWithTest(node: SyntaxNode): boolean {
  let question = node;
  while (
    question.parent &&
    WITHIN.test(question.parent.type) &&
    (question.parent.type === 'switch_statement' ||
      question.parent.end - question.parent.start < MAX_QUESTION)
  )
    question = question.parent;
  if (question.type === 'switch_statement') return /case\s+['"]test['"]/.test(question.text);
  for (const each of question.walk())
    if (
      each.type === 'regex' ? /test/.test(each.text.slice(0, 200)) : evaluateConstantString(each) === 'test'
    )
      return true;
  return false;
}

/** What a file that is loaded by tests too does when it is none: to listen, and to write down what comes in. */
const STARTS = /^[\w.]+\.listen\(|^(?:console|logger|log)\.\w+\(|^\w+\.use\(\s*(?:morgan|logger|pino\w*)\b/;

/** Whether the answer decides on nothing but whether a server is started: `if (process.env.NODE_ENV !== 'test') app.listen(port)`. */
function startsServer(node: SyntaxNode): boolean {
  for (const above of node.ancestors()) {
    if (above.type !== 'if_statement') continue;
    const condition = above.childForField('condition');
    const then = above.childForField('consequence');
    if (!condition || !then || node.start >= condition.end || above.childForField('alternative'))
      return false;
    if (!/^\(\s*[\w.]+\s*!==?\s*(?:'test'|"test")\s*\)$/.test(condition.text.slice(0, 100))) return false;
    const statements =
      then.type === 'statement_block' ? then.namedChildren.filter(({ type }) => type !== 'comment') : [then];
    return statements.length > 0 && statements.every(({ text }) => STARTS.test(text.slice(0, 100)));
  }
  return false;
}

/** `'it' in globalThis`, `Object.hasOwn(globalThis, 'it')`, `key.startsWith('PYTEST_')`. */
function asksByText(node: SyntaxNode): boolean {
  const text = evaluateConstantString(node);
  if (text === null) return false;
  const { parent } = node;
  if (parent?.type === 'binary_expression')
    return (
      parent.childForField('operator')?.text === 'in' &&
      EVERYTHING.test(parent.childForField('right')?.text ?? '') &&
      GLOBALS.test(text)
    );
  const call = /^(?:arguments|argument_list)$/.test(parent?.type ?? '') ? parent?.parent : null;
  const callee = call?.childForField('function')?.text.slice(-60) ?? '';
  if (/(?:^|\.)hasOwn(?:Property)?(?:\.call)?$/.test(callee))
    return GLOBALS.test(text) && /\b(?:globalThis|global|window)\b/.test(call?.text.slice(0, 200) ?? '');
  return PREFIX.test(text) && /\.(?:startsWith|startswith|includes|indexOf|match)$/.test(callee);
}
const EVERYTHING = /^(?:globalThis|global|window)$/;
const PREFIX = /^(?:NODE_TEST|PYTEST|VITEST|JEST_WORKER)_?\w{0,20}$/;

const READS =
  /(?:^|\.)(?:readFile(?:Sync)?|exists(?:Sync)?|isfile|isdir|is_file|is_dir|access(?:Sync)?|statSync|lstatSync|createReadStream|readdir(?:Sync)?|open|read_text|Path|glob|rglob|listdir|import_module|require|exec|run_path|getsource)$/;
const TESTS =
  /(?:^|\/)(?:__tests__|tests?|specs?)\/|(?:^|\/)test_[^/]*\.py$|[._-](?:test|spec)\.[cm]?[jt]sx?$|__snapshots__/;

/** The tests that a call reads: whoever reads them can answer what they expect. */
function readsTests(call: SyntaxNode, aliases: NameAliases): string | null {
  const path =
    resolveDottedName(call.childForField('function'), aliases) ??
    call.childForField('function')?.text.slice(-40) ??
    '';
  if (!READS.test(path)) return null;
  for (const argument of getCallArguments(call))
    for (const node of argument.walk()) {
      const text = /string|binary|concatenated/.test(node.type) ? evaluateConstantString(node) : null;
      if (text !== null && text.length < 300 && TESTS.test(text)) return text;
    }
  return null;
}
