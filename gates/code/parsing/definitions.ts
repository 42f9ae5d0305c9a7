import type { SyntaxNode } from './syntax-node.ts';

/** Nodes whose `name` others can refer to: functions, classes, methods, types, items of Rust, variables of a module. */
const DEFINES =
  /(?<!parameter)(?:_item|_definition|_declaration|_declarator|_signature|_spec|_alias|^method)$/;
/** What has definitions of its own in its body. What a function defines in its body is nobody else's. */
const OPEN = /class|impl|trait|mod_item|interface|module|namespace/;
const VALUES = /function|arrow|class/;
/** A module of Rust that is built for tests only. */
const FOR_TESTS = /\bcfg\s*\([^\]]*\btest\b/;

/** The names that a file gives to what others can use or test, members of classes and objects included. */
export function collectDefinedNames(root: SyntaxNode): Set<string> {
  const names = new Set<string>();
  const add = (node: SyntaxNode | null | undefined): void => {
    if (node && /^[\p{L}\p{N}_$]+$/u.test(node.text)) names.add(node.text);
  };
  for (const node of root.walk((inner) => !isClosed(inner))) {
    if (DEFINES.test(node.type) && !isRustTestModule(node)) add(node.childForField('name'));
    // `exports.price = () => …`, `Cart.prototype.total = function …`, `{ price() {}, total: (…) => … }`
    if (node.type === 'assignment_expression' && VALUES.test(node.childForField('right')?.type ?? ''))
      add(node.childForField('left')?.childForField('property') ?? node.childForField('left'));
    // Constants of a module and attributes of a class of Python; those of other languages have declarations.
    if (node.type === 'assignment' && node.childForField('left')?.type === 'identifier')
      add(node.childForField('left'));
    if (node.type === 'pair' && VALUES.test(node.childForField('value')?.type ?? ''))
      add(node.childForField('key'));
  }
  return names;
}

const isClosed = (node: SyntaxNode): boolean =>
  (node.field === 'body' && node.parent !== null && !OPEN.test(node.parent.type)) || isRustTestModule(node);

/** Whether an item of Rust is built for tests only. */
export const isRustTestModule = (node: SyntaxNode): boolean =>
  node.type === 'mod_item' && listRustAttributes(node).some(({ text }) => FOR_TESTS.test(text));

/** The attributes that stand before an item, in order. */
export function listRustAttributes(item: SyntaxNode): SyntaxNode[] {
  const beside = item.parent?.children ?? [];
  const found: SyntaxNode[] = [];
  for (let at = beside.indexOf(item) - 1; at >= 0; at--) {
    const node = beside[at];
    if (node?.type === 'attribute_item') found.unshift(node);
    else if (node?.type !== 'line_comment' && node?.type !== 'block_comment') break;
  }
  return found;
}

/** Nodes of Python and JavaScript that are functions: what is in them runs when somebody calls them. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  'function_definition',
  'lambda',
  'arrow_function',
  'function_expression',
  'function_declaration',
  'generator_function',
  'generator_function_declaration',
  'method_definition',
]);

export const isFunctionNode = ({ type }: SyntaxNode): boolean => FUNCTIONS.has(type);
