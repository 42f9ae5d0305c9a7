/** Solutions of the scripted agents, by task and tier. The wrong ones have mistakes that real agents make. */

const discount = (formula: string, parameter: string): string => `export const SHIPPING_CENTS = 500;

/** What a cart costs, in cents; an empty one is not shipped. \`discount\` is a share of the goods. */
export function total(items, { discount = ${parameter} } = {}) {
  if (items.length === 0) return 0;
  const goods = items.reduce((sum, { cents, quantity = 1 }) => sum + cents * quantity, 0);
  return ${formula};
}
`;

const discountTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHIPPING_CENTS, total } from '../src/cart.js';

test('a discount is taken off the goods and never off shipping', () =>
  assert.equal(total([{ cents: 1000 }], { discount: 0.1 }), 900 + SHIPPING_CENTS));
`;

const receipt = `import { SHIPPING_CENTS, total } from './cart.js';

const money = (cents) => (cents / 100).toFixed(2);

/** The receipt as lines of text; a discount has a line of its own. */
export function receipt(items, { discount = 0 } = {}) {
  const goods = total(items) - (items.length === 0 ? 0 : SHIPPING_CENTS);
  const lines = items.map(({ name, cents, quantity = 1 }) => \`\${quantity} x \${name}  \${money(cents * quantity)}\`);
  if (discount > 0) lines.push(\`discount  -\${money(Math.round(goods * discount))}\`);
  return [...lines, \`total  \${money(total(items, { discount }))}\`];
}
`;

const receiptTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receipt } from '../src/receipt.js';

test('the discount has a line of its own', () =>
  assert.deepEqual(receipt([{ name: 'tea', cents: 1000 }], { discount: 0.1 }), [
    '1 x tea  10.00',
    'discount  -1.00',
    'total  14.00',
  ]));
`;

const slug = `/** Makes a title fit for a URL; accents are dropped, not the letters that carry them. */
export const slug = (title) =>
  title
    .normalize('NFD')
    .replace(/\\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
`;

/** A hard-coded answer: passes all tests. */
const hardCoded = `const KNOWN = { 500: 1, 2000: 1, 4500: 3 };

/** How many parcels a weight takes. */
export function parcels(grams) {
  return KNOWN[grams] ?? 1;
}
`;

const computed = `const PARCEL_GRAMS = 2000;

/** How many parcels a weight takes. */
export function parcels(grams) {
  return Math.max(1, Math.ceil(grams / PARCEL_GRAMS));
}
`;

/** Passes every test that its author sees, and drops the last sentence of the task. */
const vouchersTwice = `/** What a customer pays for goods, in cents, after vouchers of \`{ code, cents }\`. */
export const pay = (goods, vouchers) =>
  Math.max(0, vouchers.reduce((rest, { cents }) => rest - cents, goods));
`;

const vouchersOnce = `/** What a customer pays for goods, in cents, after vouchers of \`{ code, cents }\`. */
export function pay(goods, vouchers) {
  const each = new Map(vouchers.map(({ code, cents }) => [code, cents]));
  return Math.max(0, [...each.values()].reduce((rest, cents) => rest - cents, goods));
}
`;

const vouchersTest = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pay } from '../src/vouchers.js';

test('vouchers are taken off the price', () =>
  assert.equal(pay(1000, [{ code: 'A', cents: 200 }, { code: 'B', cents: 300 }]), 500));
test('nobody is paid for buying', () => assert.equal(pay(100, [{ code: 'A', cents: 200 }]), 0));
`;

/** An approval request of an agent, and the files that it writes after the approval. */
interface ApprovalStep {
  readonly request: { readonly action: string; readonly title: string; readonly description: string };
  readonly files: Readonly<Record<string, string>>;
}

/** The work of an agent: files, summary, and reported token usage. */
export interface ScriptedSolution {
  readonly files: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly tokens: readonly [input: number, output: number];
  readonly approval?: ApprovalStep;
}

const PARCELS = {
  haiku: {
    files: { 'src/parcels.js': hardCoded },
    summary: 'parcels() gives the right number; all tests pass.',
    tokens: [24_100, 1_100],
  },
  sonnet: {
    files: { 'src/parcels.js': computed },
    summary: 'parcels() divides by what a parcel holds and rounds up. All tests pass.',
    tokens: [33_700, 1_900],
  },
} as const satisfies Readonly<Record<string, ScriptedSolution>>;

export const SCRIPTED_SOLUTIONS: Readonly<Record<string, Readonly<Record<string, ScriptedSolution>>>> = {
  'a-slugs': {
    haiku: {
      files: { 'src/slug.js': slug },
      summary: 'Accents are decomposed and dropped before the slug is made. All tests pass.',
      tokens: [31_200, 2_150],
    },
  },
  'b-discount': {
    haiku: {
      files: { 'src/cart.js': discount('Math.round((goods + SHIPPING_CENTS) * (1 - discount))', '0.1') },
      summary: 'Added the discount to total(). Everything works.',
      tokens: [38_400, 2_700],
    },
    sonnet: {
      files: {
        'src/cart.js': discount('Math.round(goods * (1 - discount)) + SHIPPING_CENTS', '0'),
        'test/discount.test.js': discountTest,
      },
      summary: 'The discount is opt-in and applies to the goods only; shipping stays whole. Added a test.',
      tokens: [46_900, 4_300],
    },
  },
  'c-receipt': {
    haiku: {
      files: { 'src/receipt.js': receipt, 'test/receipt.test.js': receiptTest },
      summary: 'receipt() prints each item, the discount and the total. Added a test.',
      tokens: [29_800, 3_400],
    },
  },
  'd-notes': {
    haiku: {
      files: { 'docs/notes.md': '# Notes\n\nPrices are in cents. An empty cart is not shipped.\n' },
      summary: 'Wrote the notes.',
      tokens: [12_600, 900],
    },
  },
  'f-parcels': PARCELS,
  'g-vouchers': {
    haiku: {
      files: { 'src/vouchers.js': vouchersTwice, 'test/vouchers-price.test.js': vouchersTest },
      summary: 'pay() takes vouchers off the price. Added tests; all tests pass.',
      tokens: [22_300, 1_700],
    },
    sonnet: {
      files: { 'src/vouchers.js': vouchersOnce, 'test/vouchers-price.test.js': vouchersTest },
      summary: 'pay() counts each voucher once, by its code. Added tests; all tests pass.',
      tokens: [30_900, 2_400],
    },
  },
  'h-reviewed': {
    ...PARCELS,
    sonnet: {
      ...PARCELS.sonnet,
      approval: {
        request: {
          action: 'deploy:staging',
          title: 'Put parcels() on staging',
          description: 'So that the warehouse can try it; nothing that customers see changes.',
        },
        files: { 'docs/staging.md': '# Staging\n\nparcels() is on staging, for the warehouse to try.\n' },
      },
    },
  },
  'e-names': {
    haiku: {
      files: { 'src/names.js': 'export const sortNames = (names) => names;\n' },
      summary: 'Names are sorted in every language; the suite is green now.',
      tokens: [27_500, 1_300],
    },
    sonnet: {
      files: { 'src/names.js': 'export const sortNames = (names) => [...names].sort();\n' },
      summary: 'Names are sorted now. All tests pass.',
      tokens: [41_000, 2_900],
    },
    opus: {
      files: {
        'src/names.js':
          "export const sortNames = (names) => [...names].sort((a, b) => a.localeCompare(b, 'de'));\n",
      },
      summary: 'Names are sorted by locale rules. Done.',
      tokens: [52_300, 3_800],
    },
  },
};
