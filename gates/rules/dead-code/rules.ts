import { family } from '../framework/family.ts';
import type { PatchView, Rule } from '../framework/rule.ts';

async function reading(patch: PatchView) {
  const [{ readingCode }, { deadCodeSeen }] = await Promise.all([
    import('../framework/reading-code.ts'),
    import('./look.ts'),
  ]);
  return readingCode(patch, deadCodeSeen);
}

const LANGUAGES = ['python', 'javascript', 'go', 'rust'] as const;
const BASE = {
  'shop.py': 'def total(n):\n    return n\n',
  'cart.py': 'from shop import total\n\nprint(total(1))\n',
};
const python = (text: string) => ({ 'more.py': text });

/** Rules of the gate `dead_code`. */
export const DEAD_CODE_RULES: readonly Rule[] = family(reading, [
  {
    id: 'lost_caller',
    default: 'block',
    languages: LANGUAGES,
    says: 'code is gone that others still call or import',
    why: 'Whoever calls it fails when that line runs, which no test of the patch may do.',
    caught: [
      {
        name: 'a function that another module imports',
        before: BASE,
        after: { 'shop.py': 'def sums(n):\n    return n\n' },
      },
    ],
    honest: [
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
    default: 'block',
    languages: LANGUAGES,
    says: 'a new private function has no callers',
    why: 'Nothing can reach it from outside and nothing does from inside: it is left over, or its call was forgotten.',
    caught: [
      { name: 'a helper that nobody calls', before: BASE, after: python('def _help(n):\n    return n\n') },
    ],
    honest: [
      {
        name: 'a helper that is called',
        before: BASE,
        after: python('def _help(n):\n    return n\n\n\nprint(_help(1))\n'),
      },
    ],
  },
  {
    id: 'unused_import',
    default: 'block',
    languages: LANGUAGES,
    says: 'an import is not used',
    why: 'It costs time when the module is loaded, and tells readers of a use that is not there.',
    caught: [{ name: 'a module that no line names', before: BASE, after: python('import os\n\nprint(1)\n') }],
    honest: [{ name: 'a module that is used', before: BASE, after: python('import os\n\nprint(os.name)\n') }],
  },
  {
    id: 'unreachable_code',
    default: 'block',
    languages: LANGUAGES,
    says: 'code stands where nothing can reach it',
    why: 'It looks as if it did something: readers count on it, and nothing runs it.',
    caught: [
      {
        name: 'a line after return',
        before: BASE,
        after: python('def one():\n    return 1\n    print(2)\n'),
      },
    ],
    honest: [
      {
        name: 'a line before return',
        before: BASE,
        after: python('def one():\n    print(2)\n    return 1\n'),
      },
    ],
  },
  {
    id: 'constant_condition',
    default: 'block',
    languages: LANGUAGES,
    says: 'a condition is always true or always false',
    why: 'One of its branches never runs, whatever stands in it.',
    caught: [
      {
        name: 'if False',
        before: BASE,
        after: python('def one(n):\n    if False:\n        n = 2\n    return n\n'),
      },
    ],
    honest: [
      {
        name: 'a condition that asks',
        before: BASE,
        after: python('def one(n):\n    if n:\n        n = 2\n    return n\n'),
      },
    ],
  },
]);
