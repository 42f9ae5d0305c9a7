import { builtinModules } from 'node:module';
import { evaluateConstantString } from '../../../code/parsing/string-literal.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import {
  getCallArguments,
  getImportedModuleName,
  type NameAliases,
  resolveDottedName,
} from './dotted-names.ts';
import { getBodyStatements, getEnclosingFunctions } from './enclosing-functions.ts';

/** Modules of the project itself: by path, by an alias, or by one of the folders that stand at its top. */
const OWN = /^(?:$|[.#~/]|@\/|(?:src|lib|app|server|client|shared|utils|components|packages)\/)/;

const KNOWN = new WeakMap<SyntaxNode, ReadonlySet<string>>();

/** Names that a file of JavaScript has from packages, or makes out of what it has from them. */
function findPackageNames(node: SyntaxNode): ReadonlySet<string> {
  let root = node;
  while (root.parent) root = root.parent;
  const known = KNOWN.get(root) ?? read(root);
  KNOWN.set(root, known);
  return known;
}

/** The name that a chain of members and calls begins with; empty for none. */
function getRootIdentifier(node: SyntaxNode | null): string {
  let at = node;
  while (at && at.type !== 'identifier')
    at =
      at.childForField('object') ??
      at.childForField('function') ??
      at.childForField('constructor') ??
      (/^(?:await|parenthesized)_expression$/.test(at.type) ? (at.namedChildren[0] ?? null) : null);
  return at?.text ?? '';
}

function read(root: SyntaxNode): Set<string> {
  const names = new Set<string>();
  const learn = (pattern: SyntaxNode | null): void => {
    for (const each of pattern?.walk() ?? [])
      if (/^(?:identifier|shorthand_property_identifier_pattern)$/.test(each.type)) names.add(each.text);
  };
  for (const node of root.walk()) {
    if (node.type === 'import_statement') {
      const source = evaluateConstantString(node.childForField('source'));
      if (source !== null && !OWN.test(source)) learn(node.firstChildOfType('import_clause'));
    } else if (node.type === 'variable_declarator') {
      const value = node.childForField('value');
      const module = value?.type === 'call_expression' ? getImportedModuleName(value) : null;
      if (module !== null ? !OWN.test(module) : names.has(getRootIdentifier(value)))
        learn(node.childForField('name'));
    }
  }
  return names;
}

/** What the language and its platforms bring. What of them throws says that an input is no such thing, or is not there. */
const GLOBAL = new Set(
  'JSON URL URLSearchParams Buffer process decodeURI decodeURIComponent encodeURI encodeURIComponent atob btoa Number BigInt Intl RegExp Date Math Object Array String Symbol Set Map structuredClone localStorage sessionStorage TextDecoder TextEncoder DOMParser crypto performance navigator document import require'.split(
    ' ',
  ),
);
const MODULES = new Set(builtinModules.filter((name) => !/^(?:assert|test)/.test(name)));
/** Methods of texts and lists, which answer whatever they are asked of. */
const HARMLESS = new Set(
  'trim trimStart trimEnd replace replaceAll split slice substring toLowerCase toUpperCase normalize includes startsWith endsWith indexOf lastIndexOf join concat at charAt charCodeAt padStart padEnd toString'.split(
    ' ',
  ),
);
/** What the body of a request or an answer of HTTP is asked for. */
const BODY = /^(?:json|text|blob|bytes|arrayBuffer|formData)$/;
/** Questions to a package whether something is what it should be. */
const QUESTION =
  /^(?:parse|decode|decrypt|deserialize|verify|validate|load|safeLoad|read|resolve|compile|inflate|gunzip|unzip|unpack|coerce|cast)(?:Sync|Async)?$/;
/** Names of functions that turn one thing into another, or say that it is none. */
const CONVERTS = /^(?:(?:parse|read|decode|deserialize)(?:$|[A-Z])|(?:to|from|as)[A-Z])/;
/** Longest text that is taken for one small question. */
const MAX_LENGTH = 300;

/**
 * Whether all that some code of JavaScript does is to ask the platform or a package one small thing, such as `JSON.parse` or
 * `readFile`. JavaScript cannot catch one kind of error only, so that a default for such a question is no sign of anything.
 */
export function hasOnlyPlatformCall(code: SyntaxNode | null, aliases: NameAliases): boolean {
  if (code === null || code.end - code.start > MAX_LENGTH) return false;
  const asked = askedOf(code, aliases);
  return asked !== null && asked.platform > 0 && asked.own.length === 0;
}

/** Whether all that is tried is to read something of the project's own, in a function whose type says that there may be nothing. */
export function hasOnlyValueConversion(tried: SyntaxNode | null, aliases: NameAliases): boolean {
  if (tried === null || tried.end - tried.start > MAX_LENGTH) return false;
  const fn = getEnclosingFunctions(tried)[0];
  const type = fn?.childForField('return_type')?.text.slice(0, 300) ?? '';
  if (
    !fn ||
    fn.hasChildOfType('async') ||
    !/\|\s{0,20}(?:null|undefined)\s*$|:\s*(?:null|undefined)\s*\|/.test(type)
  )
    return false;
  const [only, ...more] = getBodyStatements(fn);
  const [given, ...others] = tried.namedChildren.filter((each) => each.type !== 'comment');
  if (only !== tried.parent || more.length > 0 || given?.type !== 'return_statement' || others.length > 0)
    return false;
  const asked = askedOf(tried, aliases);
  return asked !== null && asked.own.length === 1 && CONVERTS.test(asked.own[0] ?? '');
}

/** How often the platform is asked, and the names of whatever else is called; null where something has no name. */
function askedOf(
  code: SyntaxNode,
  aliases: NameAliases,
): { readonly platform: number; readonly own: readonly string[] } | null {
  const own: string[] = [];
  let platform = 0;
  for (const node of code.walk()) {
    if (node.type !== 'call_expression' && node.type !== 'new_expression') continue;
    const callee = node.childForField('function') ?? node.childForField('constructor');
    const name =
      (callee?.type === 'member_expression' ? callee.childForField('property') : callee)?.text ?? '';
    if (isPlatform(callee, aliases)) {
      platform++;
      continue;
    }
    const isPackage = findPackageNames(code).has(getRootIdentifier(callee));
    if (isPackage && (node.type === 'new_expression' || QUESTION.test(name))) platform++;
    else if (callee?.type === 'member_expression' && BODY.test(name) && getCallArguments(node).length === 0)
      platform++;
    else if (callee?.type === 'member_expression' && HARMLESS.has(name)) continue;
    else if (name === '') return null;
    else own.push(name);
  }
  return { platform, own };
}

function isPlatform(callee: SyntaxNode | null, aliases: NameAliases): boolean {
  let at = callee;
  // A method of what the platform has answered.
  while (at?.type === 'member_expression') {
    const object: SyntaxNode | null = at.childForField('object');
    const inner: SyntaxNode | null =
      object?.type === 'await_expression' ? (object.namedChildren[0] ?? null) : object;
    if (inner?.type === 'parenthesized_expression') at = inner.namedChildren[0] ?? null;
    else if (inner?.type === 'call_expression' || inner?.type === 'new_expression')
      at = inner.childForField('function') ?? inner.childForField('constructor');
    else break;
    if (at?.type === 'await_expression') at = at.namedChildren[0] ?? null;
    if (at?.type === 'call_expression') at = at.childForField('function');
  }
  if (at?.type === 'import') return true;
  const path = at === null ? null : resolveDottedName(at, aliases);
  if (path === null) return false;
  const [first = ''] = path.split('.');
  return GLOBAL.has(first) || MODULES.has(first);
}
