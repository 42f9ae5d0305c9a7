import { pythonName } from '../../code/identifier.ts';
import { stringValue } from '../../code/literal.ts';
import type { Syntax } from '../../code/syntax.ts';
import type { DocumentedFunction, Parameter } from './documented.ts';

/** Public functions and methods with a docstring. Those inside of functions are nobody's business. */
export function pythonDocumented(root: Syntax): DocumentedFunction[] {
  const found: DocumentedFunction[] = [];
  for (const node of root.walk((inner) => inner.type !== 'function_definition' || inner.parent === null)) {
    if (node.type !== 'function_definition') continue;
    const name = pythonName(node.child('name')?.text ?? '_');
    const docstring = docstringOf(node);
    if (name.startsWith('_') || docstring === null || isInPrivate(node) || isOverload(node)) continue;
    found.push({
      name,
      line: docstring.line,
      doc: stringValue(docstring) ?? '',
      parameters: parametersOf(node),
      returns: !isProperty(node) && returnsSomething(node),
      raises: raisesOf(node),
    });
  }
  return found;
}

const docstringOf = (node: Syntax): Syntax | null => {
  const first = node.child('body')?.namedChildren.find(({ type }) => type !== 'comment');
  const text = first?.type === 'expression_statement' ? first.namedChildren[0] : undefined;
  return text?.type === 'string' || text?.type === 'concatenated_string' ? text : null;
};

const isInPrivate = (node: Syntax): boolean =>
  [...node.ancestors()].some(
    (outer) => outer.type === 'class_definition' && (outer.child('name')?.text ?? '').startsWith('_'),
  );

const decorators = (node: Syntax): string[] =>
  node.parent?.type === 'decorated_definition'
    ? node.parent.children.filter(({ type }) => type === 'decorator').map(({ text }) => text)
    : [];
const isOverload = (node: Syntax): boolean =>
  decorators(node).some((text) => /^@(?:\w+\.)?overload\b/.test(text));
const isProperty = (node: Syntax): boolean =>
  decorators(node).some((text) => /property\b|\.(?:setter|getter|deleter)\b/.test(text));

function parametersOf(node: Syntax): Parameter[] {
  const isStatic = decorators(node).some((text) => /^@staticmethod\b/.test(text));
  const isMethod =
    node.parent?.parent?.type === 'class_definition' ||
    node.parent?.parent?.parent?.type === 'class_definition';
  const names = (node.child('parameters')?.namedChildren ?? []).flatMap(nameOf);
  return names.slice(isMethod && !isStatic ? 1 : 0).map((name) => ({ name, parts: [] }));
}

function nameOf(parameter: Syntax): string[] {
  switch (parameter.type) {
    case 'identifier':
      return [pythonName(parameter.text)];
    case 'default_parameter':
    case 'typed_default_parameter':
      return [pythonName(parameter.child('name')?.text ?? '')];
    case 'typed_parameter':
    case 'list_splat_pattern':
    case 'dictionary_splat_pattern':
      return parameter.namedChildren.filter(({ field }) => field !== 'type').flatMap(nameOf);
    default:
      return [];
  }
}

/** The nodes of a function's own body, without functions and classes inside of it. */
export function* ownBody(node: Syntax, inner: RegExp): Generator<Syntax> {
  const body = node.child('body');
  if (body) yield* body.walk((each) => each === body || !inner.test(each.type));
}
const INNER = /^(?:function_definition|class_definition|lambda)$/;

function returnsSomething(node: Syntax): boolean {
  const type = node.child('return_type')?.text.replace(/^['"]|['"]$/g, '');
  if (type !== undefined) return !/^(?:None|(?:typing\.)?(?:NoReturn|Never))$/.test(type);
  for (const each of ownBody(node, INNER)) {
    if (each.type === 'yield') return true;
    const value = each.type === 'return_statement' ? each.namedChildren[0] : undefined;
    if (value && value.type !== 'none') return true;
  }
  return false;
}

/** Errors that are raised here and not caught right around. */
function raisesOf(node: Syntax): string[] {
  const names = new Set<string>();
  for (const each of ownBody(node, INNER)) {
    if (each.type !== 'raise_statement' || isCaught(each, node)) continue;
    const raised = each.namedChildren[0];
    const type = raised?.type === 'call' ? raised.child('function') : raised;
    // `raise error`, with a variable, passes on what somebody else has made.
    const name = type?.text.split('.').at(-1) ?? '';
    if (/^[A-Z]/.test(name)) names.add(name);
  }
  return [...names];
}

function isCaught(node: Syntax, until: Syntax): boolean {
  for (let at = node; at.parent && at !== until; at = at.parent)
    if (at.parent.type === 'try_statement' && at.field === 'body' && at.parent.has('except_clause'))
      return true;
  return false;
}
