import type { PatchView, Rule } from '../framework/rule.ts';
import { createRuleFamily } from '../framework/rule-family.ts';

async function collectFindings(patch: PatchView) {
  const [{ collectCodeFindings }, { findDocumentationFindings }] = await Promise.all([
    import('../framework/code-findings.ts'),
    import('./doc-findings.ts'),
  ]);
  return collectCodeFindings(patch, findDocumentationFindings);
}

const LANGUAGES = ['python', 'javascript', 'go', 'rust'] as const;
const python = (doc: string) => ({
  'shop.py': `def price(item, rate):\n    """${doc}"""\n    return item * rate\n`,
});
const BASE = { 'README.md': '# Shop\n' };
const GOOD = python(
  'Price of an item.\n\n    Args:\n        item: net price\n        rate: tax\n\n    Returns:\n        The price.\n    ',
);

/** Rules of the gate `comment_quality`. */
export const COMMENT_QUALITY_RULES: readonly Rule[] = createRuleFamily(collectFindings, [
  {
    id: 'inaccurate',
    default: 'error',
    languages: LANGUAGES,
    summary: 'documentation describes a parameter that is not there',
    rationale: 'Whoever reads it calls the function in a way that it no longer has.',
    invalidExamples: [
      {
        name: 'a parameter that is gone',
        before: BASE,
        after: python(
          'Price of an item.\n\n    Args:\n        item: net price\n        rate: tax\n        country: where\n\n    Returns:\n        The price.\n    ',
        ),
      },
    ],
    validExamples: [{ name: 'each parameter is there', before: BASE, after: GOOD }],
  },
  {
    id: 'incomplete',
    default: 'error',
    languages: LANGUAGES,
    summary: 'documentation leaves out a parameter, a result or an error',
    rationale: 'What is documented in part is taken for the whole.',
    invalidExamples: [
      {
        name: 'one of two parameters',
        before: BASE,
        after: python(
          'Price of an item.\n\n    Args:\n        item: net amount\n\n    Returns:\n        The price.\n    ',
        ),
      },
    ],
    validExamples: [{ name: 'all of it is said', before: BASE, after: GOOD }],
  },
  {
    id: 'wrong_style',
    default: 'info',
    languages: ['python', 'go'],
    summary: 'documentation is not in the style of the project, or of the language',
    rationale: 'Tools that make pages of it read one style only.',
    invalidExamples: [
      {
        name: 'a comment of Go that does not begin with the name',
        before: BASE,
        after: { 'shop.go': 'package shop\n\n// adds up the prices.\nfunc Total() int { return 1 }\n' },
      },
    ],
    validExamples: [
      {
        name: 'a comment of Go that does',
        before: BASE,
        after: { 'shop.go': 'package shop\n\n// Total adds up the prices.\nfunc Total() int { return 1 }\n' },
      },
    ],
  },
  {
    id: 'redundant',
    default: 'info',
    languages: LANGUAGES,
    summary: 'documentation says no more than the name',
    rationale: 'It has to be read and kept, and tells nobody anything.',
    invalidExamples: [
      {
        name: 'the name again, in words',
        before: BASE,
        after: { 'shop.py': 'def get_price():\n    """Get price."""\n    return 1\n' },
      },
    ],
    validExamples: [{ name: 'what the name does not say', before: BASE, after: GOOD }],
  },
]);
