/** A generated project of JavaScript and Python, half and half, whose modules import each other without a cycle. */

const FUNCTIONS_IN_MODULE = 12;
const TESTS = 20;

const javascript = (index: number): string =>
  [
    ...imported(index).map((other) => `import { value${other}_0 } from './m${other}.mjs';`),
    '',
    ...Array.from(
      { length: FUNCTIONS_IN_MODULE },
      (_, at) => `/**
 * Weighs an amount for step ${at} of module ${index}.
 * @param {number} amount what is weighed
 * @returns {number} its weight
 */
export function value${index}_${at}(amount) {
  if (amount > ${at * 10}) return amount * ${at + 1} + ${at === 0 ? (imported(index).map((other) => `value${other}_0.length`)[0] ?? 0) : 0};
  return amount - ${index % 7};
}
`,
    ),
  ].join('\n');

const python = (index: number, folder = 'py'): string =>
  [
    `"""Steps of module ${index}."""`,
    ...imported(index).map((other) => `from ${folder}.m${other} import value${other}_0`),
    '',
    ...Array.from(
      { length: FUNCTIONS_IN_MODULE },
      (_, at) => `
def value${index}_${at}(amount):
    """Weigh an amount for step ${at}.

    Args:
        amount: What is weighed.
    """
    if amount > ${at * 10}:
        return amount * ${at + 1}${
          at === 0
            ? imported(index)
                .map((other) => ` + value${other}_0(amount - 1)`)
                .join('')
            : ''
        }
    return amount - ${index % 7}
`,
    ),
  ].join('\n');

/** Modules that a module imports: the one of half its number, and the one before it. */
const imported = (index: number): number[] =>
  index === 0 ? [] : [...new Set([Math.floor(index / 2), index - 1])].filter((other) => other !== index);

const test = (index: number): string =>
  `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { value${index}_1 } from '../js/m${index}.mjs';

test('weighs small amounts in module ${index}', () => assert.equal(value${index}_1(1), ${1 - (index % 7)}));
test('weighs large amounts in module ${index}', () => assert.equal(value${index}_1(100), 200));
`;

export interface GeneratedProject {
  readonly files: Readonly<Record<string, string>>;
  /** What the patch writes: a new function in each of these modules, and tests of two of them. */
  readonly patch: Readonly<Record<string, string>>;
  readonly lines: number;
  readonly bytes: number;
}

const linesOf = (text: string): number => text.split('\n').length - 1;

/** @param lines at least so many; @param changed files of the patch, at least four. */
export function generateProject(lines: number, changed: number): GeneratedProject {
  const files: Record<string, string> = {};
  let count = 0;
  let index = 0;
  for (; count < lines; index++) {
    const [one, two] = [javascript(index), python(index)];
    files[`js/m${index}.mjs`] = one;
    files[`py/m${index}.py`] = two;
    count += linesOf(one) + linesOf(two);
  }
  const step = Math.max(1, Math.floor(index / TESTS));
  for (let at = 0; at < index; at += step) files[`test/m${at}.test.mjs`] = test(at);
  const patch: Record<string, string> = {};
  for (let at = 0; at < (changed - 2) / 2; at++) {
    const number = (at * step) % index;
    patch[`js/m${number}.mjs`] = `${files[`js/m${number}.mjs`]}
/**
 * Doubles an amount.
 * @param {number} amount what is doubled
 * @returns {number} twice the amount
 */
export function twice${at}(amount) {
  return amount * 2;
}
`;
    patch[`py/m${number}.py`] = `${files[`py/m${number}.py`]}

def twice${at}(amount):
    """Double an amount.

    Args:
        amount: What is doubled.
    """
    return amount * 2
`;
  }
  for (const at of [0, 1])
    patch[`test/twice${at}.test.mjs`] = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { twice${at} } from '../js/m${(at * step) % index}.mjs';

test('doubles an amount ${at}', () => assert.equal(twice${at}(2), 4));
`;
  return {
    files,
    patch,
    lines: Object.values(files).reduce((sum, text) => sum + linesOf(text), 0),
    bytes: Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0),
  };
}

const pythonTest = (index: number): string =>
  `from steps.m${index} import value${index}_1


def test_small_amounts():
    assert value${index}_1(1) == ${1 - (index % 7)}
`;

/** The same in Python alone, with tests for pytest. @param changed files of the patch. */
export function generatePythonProject(
  lines: number,
  changed: number,
): Pick<GeneratedProject, 'files' | 'patch'> {
  const files: Record<string, string> = { 'steps/__init__.py': '' };
  let count = 0;
  let index = 0;
  for (; count < lines; index++) {
    const text = python(index, 'steps');
    files[`steps/m${index}.py`] = text;
    count += linesOf(text);
  }
  const step = Math.max(1, Math.floor(index / changed));
  for (let at = 0; at < index; at += step) files[`tests/test_m${at}.py`] = pythonTest(at);
  const patch: Record<string, string> = {};
  for (let at = 0; at < changed; at++) {
    const file = `steps/m${(at * step) % index}.py`;
    patch[file] =
      `${files[file]}\n\ndef twice${at}(amount):\n    """Double an amount.\n\n    Args:\n        amount: What is doubled.\n    """\n    return amount * 2\n`;
  }
  return { files, patch };
}
