import type { Store } from '../../checkout/store.ts';
import { Exports } from '../../code/exports.ts';
import { stringValue } from '../../code/literal.ts';
import type { Project } from '../../code/project.ts';
import { CodeReader } from '../../code/reader.ts';
import type { Seen } from '../../code/seen.ts';
import type { Syntax } from '../../code/syntax.ts';
import { argumentsOf, pathOf } from '../suppressions/code/paths.ts';
import { bindingsOf } from './cases/javascript-bindings.ts';
import type { TestFile } from './protection.ts';

/**
 * New tests against names that the project's modules do not have, and which a guard keeps from failing: `if hasattr(bill, "pay")`,
 * `bill.pay?.(3)`, an import that may fail, a mock that makes up what it replaces.
 */
export async function missingInterfaces(
  files: readonly TestFile[],
  project: Project,
  store: Store,
  until: number,
): Promise<Seen[]> {
  const reader = new CodeReader(store, until);
  const exports = new Exports(project.head, reader);
  const seen: Seen[] = [];
  for (const { path, before, after } of files) {
    const file = after && project.head.files.code.get(path);
    if (!file || !/\.(?:py|[cm]?[jt]sx?)$/.test(path)) continue;
    const root = await reader.read(file);
    if (root === null) continue;
    const known = before?.text ?? '';
    const add = (name: string, module: string, line: number): void => {
      if (!mentions(known, name))
        seen.push({
          file: path,
          line,
          rule: 'test_imports_nothing_there',
          message: `asks for ${name}, which ${module} does not have`,
          weight: 'fails',
        });
    };
    const modules = new Map<string, string>();
    const classes = new Map<string, Syntax>();
    for (const { local, name, line, to } of importedBy(path, root, project)) {
      if (name === '*') {
        modules.set(local, to);
        continue;
      }
      const surface = await exports.of(to);
      const written = path.endsWith('.py') ? project.head.files.code.get(to) : undefined;
      const own = written && closedClass(await reader.read(written), name);
      if (own) classes.set(local, own);
      if (
        surface &&
        !surface.open &&
        name !== 'default' &&
        !surface.names.has(name) &&
        !isModule(to, name, project)
      )
        add(name, to, line);
    }
    for (const { local, name, line } of guarded(root)) {
      const module = modules.get(local) ?? (path.endsWith('.py') ? moduleAt(local, project) : undefined);
      const surface = module === undefined ? null : await exports.of(module);
      const owner = classes.get(local);
      if (owner && !mentions(owner.text, name)) add(name, local, line);
      // A module with a default may be known by that.
      if (
        module !== undefined &&
        surface &&
        !surface.open &&
        !surface.names.has('default') &&
        !surface.names.has(name) &&
        !(path.endsWith('.py') && BUILT_IN.test(name))
      )
        add(name, module, line);
    }
  }
  return seen;
}

/** What mocks put into a module although it has it from the language. */
const BUILT_IN = /^(?:open|input|print|exit|quit|time|sorted|len|id|hash|range)$/;

/** A class of Python that has what it says itself, and nothing from elsewhere. */
function closedClass(root: Syntax | null, name: string): Syntax | null {
  for (const node of root?.namedChildren ?? [])
    if (node.type === 'class_definition' && node.child('name')?.text === name)
      return /^\((?:\s|object)*\)$/.test(node.child('superclasses')?.text ?? '()') &&
        !/\b__getattr|\bsetattr\b/.test(node.text)
        ? node
        : null;
  return null;
}

interface ImportedName {
  readonly local: string;
  readonly name: string;
  readonly line: number;
  /** The module that it comes from. */
  readonly to: string;
}

/** The names that a test imports from modules of the project; `*` for a module as a whole. */
function importedBy(path: string, root: Syntax, { head }: Project): ImportedName[] {
  const edges = (head.graph.from.get(path) ?? []).filter(({ kind, to }) => kind !== 'type' && to !== path);
  if (path.endsWith('.py'))
    return edges.flatMap(({ names, specifier, line, to }) =>
      names.map(({ name, local }) => ({
        local: local ?? (name === '*' ? (specifier.split('.').at(-1) ?? '') : name),
        name,
        line,
        to,
      })),
    );
  const { imports } = bindingsOf(root, { isOwn: () => true, mayAssert: () => false });
  return [...imports].flatMap(([local, { specifier, name, line }]) => {
    const edge = edges.find((each) => each.specifier === specifier);
    return edge ? [{ local, name, line, to: edge.to }] : [];
  });
}

/** The file that `package.module` stands for, as mocks name it. */
const moduleAt = (dotted: string, { head }: Project): string | undefined => {
  if (!/^\w+(?:\.\w+)+$/.test(dotted)) return undefined;
  const stem = dotted.replaceAll('.', '/');
  return [`${stem}.py`, `${stem}/__init__.py`].flatMap((name) =>
    [...head.files.code.keys()].filter((path) => path === name || path === `src/${name}`),
  )[0];
};

/** `from package import module` */
const isModule = (module: string, name: string, { head }: Project): boolean => {
  const folder = module.replace(/(?:__init__)?\.pyi?$/, '').replace(/\/$/, '');
  return [...head.files.code.keys()].some(
    (path) =>
      path.startsWith(`${folder}/${name}`) || path.startsWith(`${folder === '' ? '' : `${folder}/`}${name}.`),
  );
};

const mentions = (text: string, name: string): boolean =>
  text.includes(name) && new RegExp(`(?<![\\w$])${name.replace(/\$/g, '\\$')}(?![\\w$])`).test(text);

interface Guarded {
  readonly local: string;
  readonly name: string;
  readonly line: number;
}

/** Members of modules that are only asked for where they may be missing. */
function guarded(root: Syntax): Guarded[] {
  const found: Guarded[] = [];
  const none = new Map<string, string>();
  for (const node of root.walk()) {
    if (node.type === 'binary_expression' && node.child('operator')?.text === 'in') {
      const name = stringValue(node.child('left'));
      if (name !== null && isCondition(node))
        found.push({ local: node.child('right')?.text ?? '', name, line: node.line });
    }
    if (node.type === 'subscript_expression' && isGuarded(node)) {
      const name = stringValue(node.child('index'));
      const object = node.child('object');
      const plain = object?.type === 'parenthesized_expression' ? object.namedChildren[0] : object;
      const local = (plain?.type === 'as_expression' ? plain.namedChildren[0] : plain)?.text ?? '';
      if (name !== null) found.push({ local, name, line: node.line });
    }
    if (/^(?:member_expression|attribute)$/.test(node.type) && failsAnyway(node))
      found.push({
        local: node.child('object')?.text ?? '',
        name: (node.child('property') ?? node.child('attribute'))?.text ?? '',
        line: node.line,
      });
    if (node.type === 'member_expression' && isGuarded(node)) {
      const object = node.child('object');
      const plain = object?.type === 'parenthesized_expression' ? object.namedChildren[0] : object;
      const local = (plain?.type === 'as_expression' ? plain.namedChildren[0] : plain)?.text ?? '';
      found.push({ local, name: node.child('property')?.text ?? '', line: node.line });
    }
    const made = node.type === 'assignment' ? node.child('left') : null;
    if (made?.type === 'attribute' && MADE_UP.test(node.child('right')?.text.slice(0, 60) ?? ''))
      found.push({
        local: made.child('object')?.text ?? '',
        name: made.child('attribute')?.text ?? '',
        line: node.line,
      });
    if (node.type !== 'call') continue;
    const callee = pathOf(node.child('function'), none) ?? '';
    const [object, text, ...rest] = argumentsOf(node);
    const dotted =
      /(?:^|\.)patch$/.test(callee) && MAKES_UP.test(node.text.slice(0, 500))
        ? stringValue(object ?? null)
        : null;
    if (dotted !== null)
      found.push({
        local: dotted.split('.').slice(0, -1).join('.'),
        name: dotted.split('.').at(-1) ?? '',
        line: node.line,
      });
    const name = stringValue(text ?? null);
    if (!object || name === null) continue;
    const isAsked =
      (callee === 'hasattr' && !isAsserted(node)) ||
      (callee === 'getattr' && rest.length > 0) ||
      (callee === 'setattr' && MADE_UP.test(rest[0]?.text.slice(0, 60) ?? ''));
    if (isAsked || (/(?:^|\.)(?:object|setattr)$/.test(callee) && MAKES_UP.test(node.text.slice(0, 500))))
      found.push({ local: object.text, name, line: node.line });
  }
  return found;
}

/** A mock that stands for what need not be there. */
const MAKES_UP = /\bcreate\s*=\s*True|\braising\s*=\s*False/;
/** What is called, made on the spot. */
const MADE_UP = /^(?:lambda\b|(?:\w+\.){0,2}(?:Async|Magic|NonCallable)?Mock\()/;
const ANY_ERROR = /^(?:(?:Base)?Exception|AttributeError|Error)$/;

/** `'pay' in bill` as a question, and not as what is asserted. */
const isCondition = (node: Syntax): boolean =>
  node.field === 'condition' ||
  node.parent?.field === 'condition' ||
  (node.parent?.type === 'binary_expression' && node.field === 'left');

/** A call that is to fail, in whatever way: it does so too when there is nothing to be called. */
function failsAnyway(member: Syntax): boolean {
  const call = member.parent;
  if ((call?.type !== 'call' && call?.type !== 'call_expression') || member.field !== 'function')
    return false;
  for (const above of call.ancestors()) {
    if (above.type === 'with_statement') {
      const asked = above.children.find(({ type }) => type === 'with_clause')?.text.slice(0, 200) ?? '';
      const kind = /\b(?:assertRaises|raises)\(\s*([\w.]+)\s*\)/.exec(asked)?.[1];
      return kind !== undefined && ANY_ERROR.test(kind);
    }
    if (above.type === 'arguments') {
      const [first, second] = above.namedChildren;
      const callee = above.parent?.child('function')?.text.slice(0, 60) ?? '';
      if (/(?:^|\.)(?:throws|rejects)$/.test(callee) && first?.type.includes('function'))
        return second === undefined || ANY_ERROR.test(second.text.slice(0, 20));
      if (callee !== 'expect') continue;
      const matcher = /\.(?:toThrow|toThrowError|throw)\(\s*(\w*)\s*\)/.exec(
        above.parent?.parent?.parent?.text.slice(0, 2_000) ?? '',
      );
      return (
        matcher !== null &&
        (matcher[1] === '' || ANY_ERROR.test(matcher[1] ?? '')) &&
        !/\.not\.\w+\(\s*\w*\s*\)$/.test(above.parent?.parent?.parent?.text.slice(-60) ?? '')
      );
    }
    if (/^(?:function_definition|class_definition)$/.test(above.type)) return false;
  }
  return false;
}

/** `bill.pay?.(3)`, `if (bill.pay)`, `bill.pay && …`, `(bill as any).pay` */
function isGuarded(member: Syntax): boolean {
  const { parent } = member;
  if (parent === null) return false;
  if (parent.type === 'call_expression' && member.field === 'function')
    return (
      parent.has('optional_chain') ||
      member.has('optional_chain') ||
      /\bas\s+any\b/.test(member.child('object')?.text.slice(0, 200) ?? '')
    );
  for (let at = member; at.parent; at = at.parent) {
    if (at.field === 'condition') return true;
    if (
      at.parent.type === 'binary_expression' &&
      at.field === 'left' &&
      /^(?:&&|\?\?|\|\|)$/.test(at.parent.child('operator')?.text ?? '')
    )
      return true;
    if (!/^(?:parenthesized_expression|unary_expression|binary_expression)$/.test(at.parent.type))
      return false;
  }
  return false;
}

/** A test may well say that something is not there. */
const isAsserted = (node: Syntax): boolean => {
  for (const above of node.ancestors()) {
    if (above.type === 'assert_statement') return true;
    if (above.type === 'call' && /\.assert/.test(above.child('function')?.text.slice(0, 40) ?? ''))
      return true;
    if (/statement$|^block$/.test(above.type)) return false;
  }
  return false;
};
