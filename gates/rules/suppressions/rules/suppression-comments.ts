import type { RuleDefinition } from '../../framework/rule-family.ts';

const WHY =
  'A tool that is required here is told to look away from what the patch adds. Where the tool is not required, it is a note.';

const BASE = { 'shop.py': 'def total(items):\n    return sum(items)\n' };
const JS = { 'shop.js': 'export const total = (items) => items.length;\n' };
const python = (line: string) => ({ 'shop.py': `${BASE['shop.py']}\n\n${line}\n` });
const javascript = (line: string) => ({ 'shop.js': `${JS['shop.js']}${line}\n` });

/** Comments and attributes that tell a tool to look away, a rule for each kind of tool. */
export const SUPPRESSION_COMMENT_RULES: readonly RuleDefinition[] = [
  {
    id: 'lint_suppressed',
    default: 'error',
    languages: 'all',
    summary: 'a comment silences the linter',
    rationale: WHY,
    invalidExamples: [
      { name: 'noqa behind a line', before: BASE, after: python('import os  # noqa: F401') },
      {
        name: 'a rule of ESLint is off for a line',
        before: JS,
        after: javascript('// eslint-disable-next-line no-eval\neval("1");'),
      },
      {
        name: 'an attribute of Rust allows what clippy says',
        before: { 'src/lib.rs': 'pub fn one() -> u8 {\n    1\n}\n' },
        after: { 'src/lib.rs': '#[allow(clippy::all)]\npub fn one() -> u8 {\n    1\n}\n' },
      },
    ],
    validExamples: [
      {
        name: 'a comment that speaks of the linter',
        before: BASE,
        after: python('# the linter likes sorted imports'),
      },
      {
        name: 'a line that was silenced before is moved',
        before: { 'shop.py': 'import os  # noqa: F401\nimport sys\n' },
        after: { 'shop.py': 'import sys\nimport os  # noqa: F401\n' },
      },
    ],
  },
  {
    id: 'type_check_suppressed',
    default: 'error',
    languages: 'all',
    summary: 'a comment silences the type checker',
    rationale: WHY,
    invalidExamples: [
      { name: 'type: ignore', before: BASE, after: python('price: int = "x"  # type: ignore') },
      { name: 'a file without types', before: JS, after: javascript('// @ts-nocheck') },
    ],
    validExamples: [
      { name: 'a comment about a type', before: BASE, after: python('# the type: a list of numbers') },
    ],
  },
  {
    id: 'coverage_suppressed',
    default: 'error',
    languages: 'all',
    summary: 'a comment leaves code out of coverage',
    rationale: WHY,
    invalidExamples: [
      {
        name: 'pragma: no cover',
        before: BASE,
        after: python('def rare():  # pragma: no cover\n    return 1'),
      },
      {
        name: 'istanbul ignore',
        before: JS,
        after: javascript('/* istanbul ignore next */\nexport const a = 1;'),
      },
    ],
    validExamples: [{ name: 'prose about coverage', before: BASE, after: python('# covers rare cases too') }],
  },
  {
    id: 'scanner_suppressed',
    default: 'error',
    languages: 'all',
    summary: 'a comment silences a scanner',
    rationale: WHY,
    invalidExamples: [
      { name: 'nosec', before: BASE, after: python('run(shell=True)  # nosec B602') },
      { name: 'nosemgrep', before: JS, after: javascript('go(input); // nosemgrep') },
    ],
    validExamples: [
      { name: 'a comment on security', before: BASE, after: python('# checked for safety by the caller') },
    ],
  },
  {
    id: 'mutation_suppressed',
    default: 'error',
    languages: 'all',
    summary: 'a comment keeps mutants away',
    rationale: WHY,
    invalidExamples: [
      {
        name: 'Stryker is off',
        before: JS,
        after: javascript('// Stryker disable all\nexport const a = 1;'),
      },
      { name: 'pragma: no mutate', before: BASE, after: python('LIMIT = 3  # pragma: no mutate') },
    ],
    validExamples: [
      { name: 'a comment on mutable state', before: BASE, after: python('# callers may mutate the list') },
    ],
  },
  {
    id: 'format_suppressed',
    default: 'error',
    languages: 'all',
    summary: 'a comment silences the formatter',
    rationale: WHY,
    invalidExamples: [
      { name: 'fmt: off', before: BASE, after: python('# fmt: off\nA = [1,2]') },
      {
        name: 'prettier-ignore',
        before: JS,
        after: javascript('// prettier-ignore\nexport const a = [1,2];'),
      },
    ],
    validExamples: [
      { name: 'a comment on a format', before: BASE, after: python('# format: one price a line') },
    ],
  },
];
