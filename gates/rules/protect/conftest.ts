import { readThreadCpuMs } from '../../../workspace/process/cpu-time.ts';
import { loadGrammar } from '../../code/parsing/load-grammar.ts';
import { MAX_SOURCE_BYTES } from '../../code/parsing/parse-source.ts';
import { type SyntaxNode, toSyntaxNode } from '../../code/parsing/syntax-node.ts';
import type { ProtectedConfigMerger } from './config-merger.ts';

/** Fixtures of pytest and its usual plugins: one of the same name would take their place in tests that are there. */
const BUILT_IN =
  /^(?:request|monkeypatch|tmp_path\w*|tmpdir\w*|cap(?:sys|fd|log)\w*|recwarn|cache|config|pytestconfig|record_\w+|doctest_namespace|testdir|pytester|mocker|event_loop\w*|benchmark|subtests)$/;
/** Longest time for one file. */
const PARSE_MS = 3_000;
const SCOPES = /^["'](?:function|class|module|package|session)["']$/;
const LITERALS = /^(?:string|integer|float|true|false|none|list|tuple)$/;

/**
 * A `conftest.py` may get new fixtures for new tests, and what they import; whatever else is in it steers the runner, and comes from
 * the base. A fixture that nobody asks for does nothing.
 */
export async function createConftestMerger(): Promise<ProtectedConfigMerger> {
  const { parser } = await loadGrammar('python');
  const read = (text: string): readonly SyntaxNode[] | null => {
    if (text.length > MAX_SOURCE_BYTES / 4) return null;
    const until = readThreadCpuMs() + PARSE_MS;
    const tree = parser.parse(text, null, { progressCallback: () => readThreadCpuMs() > until });
    if (!tree) parser.reset();
    try {
      return !tree || tree.rootNode.hasError
        ? null
        : toSyntaxNode(tree.rootNode, text).namedChildren.filter(({ type }) => type !== 'comment');
    } catch {
      // Too deep, or too large to be followed.
      return null;
    } finally {
      tree?.delete();
    }
  };
  return (base, head) => {
    const [before, after] = [read(base ?? ''), read(head)];
    if (before === null || after === null) return 'base';
    const left = before.map(({ text }) => text);
    const added = after.filter(({ text }) => {
      const at = left.indexOf(text);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    const taken = new Set(before.flatMap(namesOf));
    return left.length === 0 && added.every((each) => isHarmless(each, taken)) ? null : 'base';
  };
}

/** Names that a statement at the top of the file defines. */
const namesOf = (statement: SyntaxNode): string[] => {
  const definition =
    statement.type === 'decorated_definition' ? statement.childForField('definition') : statement;
  const name = definition?.childForField('name')?.text;
  if (statement.type.startsWith('import')) return importedBy(statement);
  return name === undefined ? [] : [name];
};

const importedBy = (statement: SyntaxNode): string[] =>
  statement
    .childrenForField('name')
    .map((each) => (each.childForField('alias') ?? each.childForField('name') ?? each).text);

function isHarmless(statement: SyntaxNode, taken: ReadonlySet<string>): boolean {
  if (/^(?:import_statement|import_from_statement|future_import_statement)$/.test(statement.type)) {
    const names = importedBy(statement);
    return (
      !statement.hasChildOfType('wildcard_import') &&
      names.every((name) => !/^pytest_|^collect_/.test(name) && !taken.has(name))
    );
  }
  if (statement.type === 'expression_statement') return statement.namedChildren[0]?.type === 'string';
  if (statement.type !== 'decorated_definition') return false;
  const definition = statement.childForField('definition');
  const name = definition?.childForField('name')?.text ?? '';
  if (
    definition?.type !== 'function_definition' ||
    /^pytest_/.test(name) ||
    BUILT_IN.test(name) ||
    taken.has(name)
  )
    return false;
  const decorators = statement.children.filter(({ type }) => type === 'decorator');
  return decorators.length === 1 && decorators.every(isFixture) && !runsOnLoad(definition);
}

/** `@pytest.fixture`, with nothing that would make it run unasked or under another name. */
function isFixture(decorator: SyntaxNode): boolean {
  const [asked] = decorator.namedChildren;
  if (asked?.type !== 'call') return /^(?:pytest\.)?fixture$/.test(asked?.text ?? '');
  if (!/^(?:pytest\.)?fixture$/.test(asked.childForField('function')?.text ?? '')) return false;
  return (asked.childForField('arguments')?.namedChildren ?? []).every((argument) => {
    const value = argument.childForField('value');
    const key = argument.childForField('name')?.text;
    if (argument.type !== 'keyword_argument' || value === null) return false;
    if (key === 'scope') return SCOPES.test(value.text);
    return (
      key === 'params' &&
      [...value.walk(({ type }) => type !== 'string')].every(
        ({ type, named }) => !named || LITERALS.test(type),
      )
    );
  });
}

/** Defaults and annotations are worked out when the file is loaded. */
const runsOnLoad = (definition: SyntaxNode): boolean =>
  [definition.childForField('parameters'), definition.childForField('return_type')].some((part) =>
    [...(part?.walk() ?? [])].some(({ type }) => /call|default|lambda|await|comprehension/.test(type)),
  );
