import type { Store } from '../../checkout/store.ts';
import { stringValue } from '../../code/literal.ts';
import type { Project } from '../../code/project.ts';
import { CodeReader } from '../../code/reader.ts';
import type { Syntax } from '../../code/syntax.ts';
import type { TestFile } from './protection.ts';

/** A function that a runner calls, with the fixtures that it asks for. */
interface Asking {
  readonly name: string;
  readonly isFixture: boolean;
  readonly asks: readonly string[];
  readonly node: Syntax;
}

/** What pytest brings a test without an import. */
export interface Brought {
  /** The `conftest.py` files that it comes from. */
  readonly files: readonly string[];
  /** Names in the fixtures. */
  readonly names: ReadonlySet<string>;
}

/**
 * The fixtures of `conftest.py` files that tests of Python are given, by the path of the tests. Only what a test asks for by name counts, itself or through another fixture.
 */
export async function broughtFixtures(
  files: readonly TestFile[],
  { head }: Project,
  store: Store,
  until: number,
): Promise<ReadonlyMap<string, Brought>> {
  const reader = new CodeReader(store, until);
  const known = new Map<string, readonly Asking[]>();
  const read = async (path: string): Promise<readonly Asking[]> => {
    const file = head.files.code.get(path);
    const there = known.get(path) ?? (file ? functionsOf(await reader.read(file)) : []);
    known.set(path, there);
    return there;
  };
  const given = new Map<string, Brought>();
  for (const { path, after } of files) {
    if (after === null || !path.endsWith('.py')) continue;
    const found = new Set<string>();
    const names = new Set<string>();
    const asked = new Set((await read(path)).flatMap(({ asks }) => asks));
    // From the nearest folder up: a fixture may ask for one that lies further up.
    for (const conftest of conftestsOver(path)) {
      const fixtures = (await read(conftest)).filter(({ isFixture }) => isFixture);
      for (let size = -1; size !== asked.size; ) {
        size = asked.size;
        for (const { name, asks, node } of fixtures) {
          if (!asked.has(name)) continue;
          found.add(conftest);
          for (const each of node.walk()) if (each.type === 'identifier') names.add(each.text);
          for (const each of asks) asked.add(each);
        }
      }
    }
    given.set(path, { files: [...found], names });
  }
  return given;
}

function conftestsOver(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  const found: string[] = [];
  for (let depth = parts.length; depth >= 0; depth--)
    found.push([...parts.slice(0, depth), 'conftest.py'].join('/'));
  return found;
}

function functionsOf(root: Syntax | null): Asking[] {
  return [...(root?.walk() ?? [])].flatMap((node): Asking[] => {
    if (node.type !== 'function_definition') return [];
    const decorators = (node.parent?.type === 'decorated_definition' ? node.parent.children : []).filter(
      ({ type }) => type === 'decorator',
    );
    const fixture = decorators.find(({ text }) => /^@(?:\w+\.)*fixture\b/.test(text.slice(0, 100)));
    const own = node.child('name')?.text ?? '';
    if (!fixture && !own.startsWith('test')) return [];
    const used = decorators.flatMap((each) =>
      /\busefixtures\s*\(/.test(each.text.slice(0, 100)) ? stringsIn(each) : [],
    );
    return [
      {
        name: (fixture && givenName(fixture)) ?? own,
        isFixture: fixture !== undefined,
        asks: [...parametersOf(node), ...used],
        node,
      },
    ];
  });
}

const parametersOf = (node: Syntax): string[] =>
  (node.child('parameters')?.namedChildren ?? []).flatMap((each) =>
    each.type === 'identifier' ? [each.text] : (each.first('identifier')?.text ?? []),
  );

const stringsIn = (node: Syntax): string[] =>
  [...node.walk()].flatMap((each) => (each.type === 'string' ? (stringValue(each) ?? []) : []));

/** `@pytest.fixture(name="cart")` */
function givenName(decorator: Syntax): string | null {
  for (const each of decorator.walk())
    if (each.type === 'keyword_argument' && each.child('name')?.text === 'name')
      return stringValue(each.child('value'));
  return null;
}
