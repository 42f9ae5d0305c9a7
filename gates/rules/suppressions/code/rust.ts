import { attributesOf } from '../../../code/parsing/definitions.ts';
import type { Syntax } from '../../../code/parsing/syntax.ts';
import type { Deceit } from './model.ts';
import { callee, DETECTS, deceit, ENDS, said } from './native.ts';

/** Files in which a process ends, and which may ask how they were started. */
const PROGRAM = /(^|\/)(?:bin|examples|xtask)\/|(^|\/)(?:main|build)\.rs$/;
const EXIT = /(?:^|::)_?exit$/;
const ASSERTS = /^(?:(?:debug_)?assert(?:_eq|_ne|_matches)?|panic|unreachable)$/;
/** How a program asks what it is called, and what runs in it. */
const ASKS = /(?:^|::)(?:current_exe|env::args(?:_os)?|thread::current)$/;
const ON_LOAD = /\blink_section\s*=\s*"[^"]*(?:init_array|ctors|CRT|mod_init_func)|^#\[\s*(?:\w+::)?ctor\b/;

/** What a file of Rust does to those who check it. */
export function rustDeceits(root: Syntax, path: string, isTest: boolean): Deceit[] {
  const nodes = [...root.walk()];
  const isProgram = PROGRAM.test(path) || isTest;
  const exits = nodes.some((node) => EXIT.test(callee(node)));
  return [
    ...nodes.flatMap((node): Deceit[] => {
      if (replaces(node))
        return [deceit('runner_patched', node, 'a macro that asserts, or the standard library, is replaced')];
      if (exits && node.type === 'attribute_item' && ON_LOAD.test(node.text))
        return [deceit('ends_process', node, ENDS)];
      if (/\bset_hook$/.test(callee(node)) && [...node.walk()].some(endsProcess))
        return [deceit('rewrites_exit_code', node, 'code that changes how a failed run ends')];
      if (isProgram) return [];
      if (/\b(?:process::exit|libc::_?exit)$/.test(callee(node)) && node.child('arguments')?.text === '(0)')
        return [
          deceit('ends_process', node, 'code that ends the process well: the tests that call it end with it'),
        ];
      return asksForTests(node) ? [deceit('detects_test_run', node, DETECTS)] : [];
    }),
    ...twoFaced(nodes),
  ];
}

const endsProcess = (node: Syntax): boolean => EXIT.test(callee(node)) || /\babort$/.test(callee(node));

function replaces(node: Syntax): boolean {
  const name = node.child('name')?.text ?? '';
  return (
    (node.type === 'macro_definition' && ASSERTS.test(name)) ||
    (node.type === 'mod_item' && /^(?:std|core|alloc)$/.test(name))
  );
}

const asksForTests = (node: Syntax): boolean =>
  (ASKS.test(callee(node)) && said(node).some((text) => /deps|test/.test(text))) ||
  (node.type === 'macro_invocation' &&
    node.child('macro')?.text === 'cfg' &&
    /^\(\s*test\s*\)$/.test(node.first('token_tree')?.text ?? ''));

/** Items that are there twice: one for the tests, and one for everybody else. */
function twoFaced(nodes: readonly Syntax[]): Deceit[] {
  const items = nodes
    .filter(({ type }) => /^(?:function|const|static)_item$/.test(type))
    .map((node) => ({
      node,
      name: node.child('name')?.text,
      attributes: attributesOf(node).map(({ text }) => text),
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
    .map(({ node }) => deceit('detects_test_run', node, DETECTS));
}

/** How many attributes make the compiler refuse what it would only warn of. */
export const refusals = (root: Syntax): number =>
  [...root.walk()].filter(
    ({ type, text }) =>
      /^(?:inner_)?attribute_item$/.test(type) && /^#!?\[\s*(?:deny|forbid)\s*\(/.test(text.slice(0, 100)),
  ).length;
