import { listRustAttributes } from '../../../code/parsing/definitions.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import type { TamperingFinding } from './native-syntax.ts';
import {
  collectStringLiterals,
  createTamperingFinding,
  DETECTS_TEST_RUN_MESSAGE,
  EXIT_ON_IMPORT_MESSAGE,
  getCalleeName,
} from './native-syntax.ts';

/** Files in which a process ends, and which may ask how they were started. */
const PROGRAM = /(^|\/)(?:bin|examples|xtask)\/|(^|\/)(?:main|build)\.rs$/;
const EXIT = /(?:^|::)_?exit$/;
const ASSERTS = /^(?:(?:debug_)?assert(?:_eq|_ne|_matches)?|panic|unreachable)$/;
/** How a program asks what it is called, and what runs in it. */
const ASKS = /(?:^|::)(?:current_exe|env::args(?:_os)?|thread::current)$/;
const ON_LOAD = /\blink_section\s*=\s*"[^"]*(?:init_array|ctors|CRT|mod_init_func)|^#\[\s*(?:\w+::)?ctor\b/;

/** What a file of Rust does to those who check it. */
export function findRustTampering(root: SyntaxNode, path: string, isTest: boolean): TamperingFinding[] {
  const nodes = [...root.walk()];
  const isProgram = PROGRAM.test(path) || isTest;
  const exits = nodes.some((node) => EXIT.test(getCalleeName(node)));
  return [
    ...nodes.flatMap((node): TamperingFinding[] => {
      if (replaces(node))
        return [
          createTamperingFinding(
            'runner_patched',
            node,
            'a macro that asserts, or the standard library, is replaced',
          ),
        ];
      if (exits && node.type === 'attribute_item' && ON_LOAD.test(node.text))
        return [createTamperingFinding('ends_process', node, EXIT_ON_IMPORT_MESSAGE)];
      if (/\bset_hook$/.test(getCalleeName(node)) && [...node.walk()].some(endsProcess))
        return [
          createTamperingFinding('rewrites_exit_code', node, 'code that changes how a failed run ends'),
        ];
      if (isProgram) return [];
      if (
        /\b(?:process::exit|libc::_?exit)$/.test(getCalleeName(node)) &&
        node.childForField('arguments')?.text === '(0)'
      )
        return [
          createTamperingFinding(
            'ends_process',
            node,
            'code that ends the process well: the tests that call it end with it',
          ),
        ];
      return asksForTests(node)
        ? [createTamperingFinding('detects_test_run', node, DETECTS_TEST_RUN_MESSAGE)]
        : [];
    }),
    ...twoFaced(nodes),
  ];
}

const endsProcess = (node: SyntaxNode): boolean =>
  EXIT.test(getCalleeName(node)) || /\babort$/.test(getCalleeName(node));

function replaces(node: SyntaxNode): boolean {
  const name = node.childForField('name')?.text ?? '';
  return (
    (node.type === 'macro_definition' && ASSERTS.test(name)) ||
    (node.type === 'mod_item' && /^(?:std|core|alloc)$/.test(name))
  );
}

const asksForTests = (node: SyntaxNode): boolean =>
  (ASKS.test(getCalleeName(node)) && collectStringLiterals(node).some((text) => /deps|test/.test(text))) ||
  (node.type === 'macro_invocation' &&
    node.childForField('macro')?.text === 'cfg' &&
    /^\(\s*test\s*\)$/.test(node.firstChildOfType('token_tree')?.text ?? ''));

/** Items that are there twice: one for the tests, and one for everybody else. */
function twoFaced(nodes: readonly SyntaxNode[]): TamperingFinding[] {
  const items = nodes
    .filter(({ type }) => /^(?:function|const|static)_item$/.test(type))
    .map((node) => ({
      node,
      name: node.childForField('name')?.text,
      attributes: listRustAttributes(node).map(({ text }) => text),
    }));
  const forTests = new Set(
    items
      .filter(({ attributes }) => attributes.some((text) => /^#\[\s*cfg\s*\(\s*test\s*\)/.test(text)))
      .map(({ name }) => name),
  );
  return items
    .filter(
      ({ name, attributes }) =>
        forTests.has(name) &&
        attributes.some((text) => /^#\[\s*cfg\b[\s\S]*\bnot\s*\(\s*test\s*\)/.test(text)),
    )
    .map(({ node }) => createTamperingFinding('detects_test_run', node, DETECTS_TEST_RUN_MESSAGE));
}

/** How many attributes make the compiler refuse what it would only warn of. */
export const countDenyAttributes = (root: SyntaxNode): number =>
  [...root.walk()].filter(
    ({ type, text }) =>
      /^(?:inner_)?attribute_item$/.test(type) && /^#!?\[\s*(?:deny|forbid)\s*\(/.test(text.slice(0, 100)),
  ).length;
