import type { PatchView, Rule } from '../framework/rule.ts';
import { createRuleFamily } from '../framework/rule-family.ts';

async function collectFindings(patch: PatchView) {
  const [{ collectCodeFindings }, { findDeadCodeFindings }] = await Promise.all([
    import('../framework/code-findings.ts'),
    import('./dead-code-findings.ts'),
  ]);
  return collectCodeFindings(patch, findDeadCodeFindings);
}

const LANGUAGES = ['python', 'javascript', 'go', 'rust'] as const;
const BASE = {
  'shop.py': 'def total(n):\n    return n\n',
  'cart.py': 'from shop import total\n\nprint(total(1))\n',
};
const python = (text: string) => ({ 'more.py': text });

/** Rules of the gate `dead_code`. */
export const DEAD_CODE_RULES: readonly Rule[] = createRuleFamily(collectFindings, [
  {
    id: 'lost_caller',
    default: 'error',
    languages: LANGUAGES,
    summary: 'code is gone that others still call or import',
    rationale: 'Whoever calls it fails when that line runs, which no test of the patch may do.',
    invalidExamples: [
      {
        name: 'a function that another module imports',
        before: BASE,
        after: { 'shop.py': 'def sums(n):\n    return n\n' },
      },
    ],
    validExamples: [
      {
        name: 'a function that goes with its callers',
        before: BASE,
        after: {
          'shop.py': 'def sums(n):\n    return n\n',
          'cart.py': 'from shop import sums\n\nprint(sums(1))\n',
        },
      },
    ],
  },
  {
    id: 'no_callers',
    default: 'error',
    languages: LANGUAGES,
    summary: 'a new private function has no callers',
    rationale:
      'Nothing can reach it from outside and nothing does from inside: it is left over, or its call was forgotten.',
    invalidExamples: [
      { name: 'a helper that nobody calls', before: BASE, after: python('def _help(n):\n    return n\n') },
    ],
    validExamples: [
      {
        name: 'a helper that is called',
        before: BASE,
        after: python('def _help(n):\n    return n\n\n\nprint(_help(1))\n'),
      },
    ],
  },
  {
    id: 'unused_import',
    default: 'error',
    languages: LANGUAGES,
    summary: 'an import is not used',
    rationale: 'It costs time when the module is loaded, and tells readers of a use that is not there.',
    invalidExamples: [
      { name: 'a module that no line names', before: BASE, after: python('import os\n\nprint(1)\n') },
    ],
    validExamples: [
      { name: 'a module that is used', before: BASE, after: python('import os\n\nprint(os.name)\n') },
    ],
  },
  {
    id: 'unreachable_code',
    default: 'error',
    languages: LANGUAGES,
    summary: 'code stands where nothing can reach it',
    rationale: 'It looks as if it did something: readers count on it, and nothing runs it.',
    invalidExamples: [
      {
        name: 'a line after return',
        before: BASE,
        after: python('def one():\n    return 1\n    print(2)\n'),
      },
    ],
    validExamples: [
      {
        name: 'a line before return',
        before: BASE,
        after: python('def one():\n    print(2)\n    return 1\n'),
      },
    ],
  },
  {
    id: 'constant_condition',
    default: 'error',
    languages: LANGUAGES,
    summary: 'a condition is always true or always false',
    rationale: 'One of its branches never runs, whatever stands in it.',
    invalidExamples: [
      {
        name: 'if False',
        before: BASE,
        after: python('def one(n):\n    if False:\n        n = 2\n    return n\n'),
      },
    ],
    validExamples: [
      {
        name: 'a condition that asks',
        before: BASE,
        after: python('def one(n):\n    if n:\n        n = 2\n    return n\n'),
      },
    ],
  },
]);
