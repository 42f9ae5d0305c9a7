/** The demo's repository: a small shop in plain JavaScript, tested with `node --test`, without dependencies. */

const lint = `// Every file must be a module that parses; parsing runs nothing of it.
import { readdirSync, readFileSync } from 'node:fs';
import { SourceTextModule } from 'node:vm';

let problems = 0;
for (const file of readdirSync('.', { recursive: true })) {
  if (!/\\.(js|mjs)$/.test(file) || /(^|\\/)(node_modules|\\.git)\\//.test(file)) continue;
  try {
    new SourceTextModule(readFileSync(file, 'utf8'), { identifier: file });
  } catch (error) {
    problems++;
    console.error(\`\${file}: \${error.message}\`);
  }
}
process.exitCode = problems === 0 ? 0 : 1;
`;

const gates = `version: 1
quality_gates:
  enabled: true
  lint: true
  lint_command: node --no-warnings --experimental-vm-modules scripts/lint.mjs
  tests: true
  test_command: node --test
`;

const cart = `export const SHIPPING_CENTS = 500;

/** What a cart costs, in cents; an empty one is not shipped. */
export function total(items) {
  if (items.length === 0) return 0;
  return items.reduce((sum, { cents, quantity = 1 }) => sum + cents * quantity, 0) + SHIPPING_CENTS;
}
`;

const cartTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHIPPING_CENTS, total } from '../src/cart.js';

test('an empty cart costs nothing', () => assert.equal(total([]), 0));
test('shipping is charged once', () =>
  assert.equal(total([{ cents: 1000, quantity: 2 }, { cents: 300 }]), 2300 + SHIPPING_CENTS));
`;

const carefulWorkflow = `name: careful
description: Somebody else grades the work against the rubric default-task.
nodes:
  - { id: start, type: start }
  - { id: who, type: agent_assignment, config: { agent_name: generator-agent } }
  - { id: work, type: task, config: { title: Do the task } }
  - id: verify
    type: verification
    config: { rubric_name: default-task, evaluator_agent_id: evaluator-agent, decomposer: llm, grader: llm }
  - { id: again, type: task, config: { title: Mend what was found, max_regenerations: 1 } }
  - { id: person, type: task, config: { title: Decide about the work } }
  - { id: end, type: end }
edges:
  - { id: e1, source_node_id: start, target_node_id: who }
  - { id: e2, source_node_id: who, target_node_id: work }
  - { id: e3, source_node_id: work, target_node_id: verify }
  - { id: pass, source_node_id: verify, target_node_id: end, type: verification_pass }
  - { id: fail, source_node_id: verify, target_node_id: again, type: verification_fail }
  - { id: refer, source_node_id: verify, target_node_id: person, type: verification_refer }
  - { id: e4, source_node_id: again, target_node_id: end }
  - { id: e5, source_node_id: person, target_node_id: end }
review:
  stages: [verdict, internal]
  stakes: high
  red_team: { enabled: true }
  vision:
    enabled: true
    verifier: heuristic
    expectations:
      - { kind: dominant_colour, description: The shop is green, expected_rgb: [20, 120, 70] }
      - { kind: not_blank, description: The shop shows something }
`;

/** The page of the screenshots; taken only if a browser is installed. */
const site = `<!doctype html>
<title>Shop</title>
<body style="background: rgb(20, 120, 70); color: white"><h1>Shop</h1><p>A parcel holds two kilos.</p>
`;
const gatesWithScreenshots = `${gates}  screenshots: { enabled: true, folder: site, pages: [{ name: start, width: 640, height: 480 }] }
`;

const parcels = `/** How many parcels a weight takes. */
export function parcels(grams) {
  throw new Error(\`nobody knows what \${grams} g take\`);
}
`;

const parcelsTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parcels } from '../src/parcels.js';

test('a parcel holds two kilos', () => {
  assert.equal(parcels(500), 1);
  assert.equal(parcels(2000), 1);
  assert.equal(parcels(4500), 3);
});
`;

const vouchers = `/** What a customer pays for goods, in cents, after vouchers of \`{ code, cents }\`. */
export const pay = (goods, vouchers) => goods;
`;

const vouchersTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pay } from '../src/vouchers.js';

test('goods without vouchers cost their price', () => assert.equal(pay(1000, []), 1000));
`;

const slug = `/** Makes a title fit for a URL. */
export const slug = (title) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
`;

const slugTest = (more: string): string => `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slug } from '../src/slug.js';

test('words are joined by dashes', () => assert.equal(slug('Hello, world!'), 'hello-world'));
${more}`;

const namesTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sortNames } from '../src/names.js';

test('names are sorted as the reader of that language expects', () => {
  assert.deepEqual(sortNames(['Zoe', 'Ärla', 'Bo'], 'de'), ['Ärla', 'Bo', 'Zoe']);
  assert.deepEqual(sortNames(['Zoe', 'Ärla', 'Bo'], 'sv'), ['Bo', 'Zoe', 'Ärla']);
});
`;

interface DemoBranch {
  readonly name: string;
  /** The branch that it starts from; null: the first. */
  readonly from: string | null;
  readonly message: string;
  /** Files that this commit writes. */
  readonly files: Readonly<Record<string, string>>;
}

/** The branches, each one commit on top of the one that it starts from. */
export const DEMO_BRANCHES: readonly DemoBranch[] = [
  {
    name: 'next',
    from: null,
    message: 'A shop with a cart',
    files: {
      'package.json': '{ "name": "shop", "private": true, "type": "module" }\n',
      'README.md': '# Shop\n\nTests: `node --test`.\n',
      'assay.yaml': gates,
      'scripts/lint.mjs': lint,
      'src/cart.js': cart,
      'src/slug.js': slug,
      'test/cart.test.js': cartTest,
      'test/slug.test.js': slugTest(''),
    },
  },
  {
    name: 'main',
    from: 'next',
    message: 'Say how accents must come out (this test fails)',
    files: {
      'test/slug.test.js': slugTest(
        `test('accents become plain letters', () => assert.equal(slug('Crème brûlée'), 'creme-brulee'));\n`,
      ),
    },
  },
  {
    name: 'hard',
    from: 'next',
    message: 'Say how names must be sorted (this test fails)',
    files: {
      'src/names.js': 'export const sortNames = (names, language) => [...names];\n',
      'test/names.test.js': namesTest,
    },
  },
  {
    name: 'parcels',
    from: 'next',
    message: 'Say how many parcels there must be (this test fails)',
    files: {
      'src/parcels.js': parcels,
      'test/parcels.test.js': parcelsTest,
    },
  },
  {
    name: 'vouchers',
    from: 'next',
    message: 'Name the function that takes vouchers',
    files: {
      'src/vouchers.js': vouchers,
      'test/vouchers.test.js': vouchersTest,
    },
  },
  {
    name: 'reviewed',
    from: 'parcels',
    message: 'Say who grades the work here',
    files: {
      '.assay/workflows/careful.yaml': carefulWorkflow,
      'assay.yaml': gatesWithScreenshots,
      'site/index.html': site,
    },
  },
  {
    name: 'sandbox',
    from: 'next',
    message: 'No gates here',
    files: { 'assay.yaml': 'version: 1\nquality_gates:\n  enabled: false\n' },
  },
];
