import { stringValue } from '../../../code/literal.ts';
import type { Syntax } from '../../../code/syntax.ts';
import type { Bindings } from './bindings.ts';
import type { Oddity } from './model.ts';

/** Methods by which a class of tests asserts, or is run. */
const MACHINERY = /^(?:assert\w+|fail\w*|run|debug|_call\w+|__call__|defaultTestResult|countTestCases)$/;
const WORKS = /\b(?:raise|assert\w*|fail\w*|super|addTest\w*|loadTests\w*|discover|TestSuite|yield)\b/;

const TAKEN = /^(?:test\w*|__unittest_skip__|__test__)$/;
/** What takes the place of a test and asks nothing. */
const isEmptyTest = (value: Syntax | null): boolean =>
  /^(?:none|true|lambda)$/.test(value?.type ?? '') && !/assert/.test(value?.text.slice(0, 500) ?? '');

/** What a file of tests does to its own runner. */
export function pythonOddities(root: Syntax, { imports }: Bindings): Oddity[] {
  const found: Oddity[] = [];
  const patched = (node: Syntax, message: string): void => {
    found.push({ rule: 'runner_patched', line: node.line, message });
  };
  for (const node of root.walk()) {
    if (node.type === 'function_definition') {
      const name = node.child('name')?.text ?? '';
      const body = node.child('body')?.text ?? '';
      const inClass =
        node.parent?.parent?.type === 'class_definition' ||
        node.parent?.parent?.parent?.type === 'class_definition';
      if (inClass && MACHINERY.test(name) && !WORKS.test(body))
        patched(node, `${name} is made to do nothing`);
      if (
        name === 'load_tests' &&
        !/\b(?:addTest\w*|discover|loadTests\w*|tests)\b/.test(body.replace(/#.*/g, ''))
      )
        patched(node, 'load_tests hands no tests to the runner');
      else if (name === 'load_tests' && /\bif\b/.test(body) && /\.id\(\)|_testMethodName/.test(body))
        patched(node, 'load_tests picks among the tests');
    }
    if (node.type === 'call' && /^(?:setattr|delattr)$/.test(node.child('function')?.text ?? '')) {
      const name = stringValue(node.child('arguments')?.namedChildren[1] ?? null) ?? '';
      if (TAKEN.test(name)) patched(node, `${name} is taken from its class`);
    }
    if (node.type === 'delete_statement' && /^del\s+\w+\.test\w*$/.test(node.text.slice(0, 200)))
      patched(node, `${node.text.slice(4)} is taken from its class`);
    if (node.type !== 'assignment') continue;
    const left = node.child('left')?.text.slice(0, 100) ?? '';
    const right = node.child('right');
    if (
      /^\w+(?:\.\w+)*\.(?:test\w*|__unittest_skip__)$/.test(left) &&
      !left.startsWith('self.') &&
      isEmptyTest(right)
    )
      patched(node, `${left} is replaced`);
    if (/\.__test__$/.test(left) && right?.type === 'false') patched(node, `${left} says that it is no test`);
    if (
      /^(?:\w+\.)*(?:failureException|assert\w+|load_tests)$/.test(left) &&
      left !== 'assert' &&
      !/^self\.assert\w+$/.test(right?.text ?? '')
    )
      patched(node, `${left} is replaced`);
    if (
      /^(?:pytest|unittest|TestCase)$/.test(left) &&
      /^(?:class|lambda|call|identifier)$/.test(right?.type ?? '') &&
      !/import/.test(right?.text ?? '')
    )
      patched(node, `${left} is replaced`);
  }
  for (const [local, { specifier, line }] of imports)
    if (
      /^(?:pytest|unittest|TestCase)$/.test(local) &&
      !/^(?:pytest|unittest)\b/.test(specifier) &&
      specifier.startsWith('.')
    )
      found.push({ rule: 'runner_from_helper', line, message: specifier });
  return found;
}
