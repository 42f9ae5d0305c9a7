import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../gates/checkout/store.ts';
import type { Project } from '../../../../gates/code/project.ts';
import { goSubjects } from '../../../../gates/rules/native/go-subjects.ts';

/** A project without any other file: whatever a test calls, it has to bring. */
const NOTHING = { head: { files: { code: new Map() }, graph: { from: new Map() } } } as unknown as Project;
const called = async (after: string): Promise<string[]> => {
  const text = { path: 'a_test.go', from: null, before: null, after };
  const seen = await goSubjects([text], NOTHING, {} as Store, Number.POSITIVE_INFINITY);
  return seen.map(({ message }) => message.split(/[ ,]/)[1] ?? '');
};
const inTest = (body: string): string =>
  `package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n${body}\n}\n`;

describe('a test of Go calls what its package does not have', () => {
  test.each<[string, string, string[]]>([
    ['a function', '\tif Pay(3) != 3 {\n\t\tt.Error("no")\n\t}', ['Pay']],
    ['but not a method, over two lines', '\tnew(T).\n\t\tPay(3)', []],
    ['but not a method of another package', '\tbank.Pay(3)', []],
    ['but not a variable', '\tPay, err := make()\n\tPay(3)', []],
    ['but not a type of its own', '\ttype Cents int\n\t_ = Cents(3)', []],
    ['but not a method of an interface', '\ttype payer interface {\n\t\tPay(int) error\n\t}', []],
    ['but not a word of the language', '\t_ = append(nil, len("Pay(3)"))', []],
  ])('%s', async (_, body, expected) => {
    expect(await called(inTest(body))).toEqual(expected);
  });

  test('but not when it takes over the names of another package, or looks from outside', async () => {
    const text = inTest('\tPay(3)');
    expect(
      await called(text.replace('import "testing"', 'import (\n\t"testing"\n\t. "example.org/pay"\n)')),
    ).toEqual([]);
    expect(await called(text.replace('package a', 'package a_test'))).toEqual([]);
  });
});

test.each([
  'func TestA(t *testing.T) { B() }\n',
  'func TestA(t *testing.T) {\n',
  ' A(B ',
  'interface {',
  'import (',
  'type (\n',
  '(A ',
  '\n ',
])('hostile tests of Go come to an end: %j', async (piece) => {
  let count = 0;
  const text = piece.repeat(400_000 / piece.length).replaceAll('A', () => `A${count++}`);
  expect((await called(`package a\n${text}`.slice(0, 500_000))).length).toBeLessThanOrEqual(20);
});
