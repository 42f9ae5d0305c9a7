import type { PatchView, Rule } from '../framework/rule.ts';
import { createRuleFamily } from '../framework/rule-family.ts';

async function collectFindings(patch: PatchView) {
  const [{ collectCodeFindings }, { findImportCycles }] = await Promise.all([
    import('../framework/code-findings.ts'),
    import('./import-cycles.ts'),
  ]);
  return collectCodeFindings(patch, async ({ project, changes }) => findImportCycles(project, changes));
}

const LANGUAGES = ['python', 'javascript', 'go', 'rust'] as const;
const CART = {
  'cart.py': 'import price\n\ndef total():\n    return price.of(1)\n',
  'price.py': 'def of(n):\n    return n\n',
};
const STRAIGHT = {
  name: 'an import in one direction only',
  before: CART,
  after: { 'tax.py': 'import cart\n\ndef tax():\n    return cart.total()\n' },
};

/** Rules of the gate `import_cycle`. */
export const IMPORT_CYCLE_RULES: readonly Rule[] = createRuleFamily(collectFindings, [
  {
    id: 'import_cycle',
    default: 'error',
    languages: LANGUAGES,
    summary: 'modules import each other in a circle',
    rationale:
      'Which of them is loaded first decides what works, so that an import anywhere else can break it.',
    invalidExamples: [
      {
        name: 'two modules import each other',
        before: CART,
        after: { 'price.py': 'import cart\n\ndef of(n):\n    return n or cart.total()\n' },
      },
    ],
    validExamples: [STRAIGHT],
  },
  {
    id: 'import_cycle_deferred',
    default: 'info',
    languages: LANGUAGES,
    summary: 'a circle of imports takes effect only when a function is called',
    rationale: 'It works as long as nobody calls the function while modules are loaded; it is worth knowing.',
    invalidExamples: [
      {
        name: 'an import within a function closes the circle',
        before: CART,
        after: { 'price.py': 'def of(n):\n    import cart\n    return n or cart.total()\n' },
      },
    ],
    validExamples: [STRAIGHT],
  },
  {
    id: 'import_cycle_type_only',
    default: 'info',
    languages: LANGUAGES,
    summary: 'a circle of imports is there for types only',
    rationale: 'It does nothing at run time, and ties modules together all the same.',
    invalidExamples: [
      {
        name: 'an import of a type closes the circle',
        before: {
          'src/cart.ts':
            "import { of } from './price.ts';\n\nexport interface Cart { n: number }\nexport const total = () => of(1);\n",
          'src/price.ts': 'export const of = (n: number) => n;\n',
        },
        after: {
          'src/price.ts':
            "import type { Cart } from './cart.ts';\n\nexport const of = (n: number, cart?: Cart) => cart?.n ?? n;\n",
        },
      },
    ],
    validExamples: [STRAIGHT],
  },
]);
