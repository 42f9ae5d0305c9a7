import { fileURLToPath } from 'node:url';
import type { TaskView } from '../../shared/api/task-schemas.ts';
import type { AgentAdapterSettings } from '../../shared/contract/agents/adapter.ts';
import type { TaskSubmissionInput } from '../../shared/contract/submission/schema.ts';
import { deliveryBranchName } from '../../shared/contract/task/task.ts';

/** The expected end of a task. */
interface ExpectedEnd {
  readonly status: TaskView['status'];
  /** Tiers of its attempts, in order. */
  readonly tiers: readonly string[];
  readonly verified: boolean | null;
  readonly delivered: boolean;
  /** Actions that an approver allows during the run; absent: none is requested. */
  readonly approvedActions?: readonly string[];
}

export interface DemoTask {
  readonly task: TaskSubmissionInput & { readonly id: string };
  readonly expected: ExpectedEnd;
  /** Reason of the scripted review that approves its work; absent: there is no review. */
  readonly reviewReason?: string;
  /** Reason of the scripted approval of its agent's approval request. */
  readonly approvalReason?: string;
}

const agent = fileURLToPath(new URL('./agent/main.ts', import.meta.url));

const SCRIPTED: AgentAdapterSettings = {
  kind: 'command',
  argv: [process.execPath, agent, '{task_id}', '{model}'],
  timeout_s: 60,
};

/** Returns the five tasks of the demo on the repository at `url`. */
export function buildDemoTasks(url: string, adapter = SCRIPTED): readonly DemoTask[] {
  const common = { repository: url, adapter };
  return [
    {
      task: {
        ...common,
        id: 'a-slugs',
        title: 'Fix the failing test: accents in slugs',
        base_ref: 'main',
        description: 'slug("Crème brûlée") must give creme-brulee.',
        files: ['src/slug.js'],
        completion_signals: [{ type: 'test_passes', command: 'node --test test/slug.test.js' }],
      },
      expected: { status: 'done', tiers: ['haiku'], verified: true, delivered: true },
    },
    {
      task: {
        ...common,
        id: 'b-discount',
        title: 'Give regular customers a discount',
        base_ref: 'next',
        description: 'total() takes a discount, a share of the goods. Shipping is never discounted.',
        files: ['src/cart.js', 'test/discount.test.js'],
        completion_signals: [{ type: 'file_contains', path: 'src/cart.js', contains: 'discount' }],
      },
      expected: { status: 'done', tiers: ['haiku', 'sonnet'], verified: true, delivered: true },
    },
    {
      task: {
        ...common,
        id: 'c-receipt',
        title: 'Print the discount on the receipt',
        base_ref: deliveryBranchName('b-discount'),
        depends_on: ['b-discount'],
        description: 'receipt() gives the lines of a receipt; a discount has a line of its own.',
        completion_signals: [
          { type: 'path_exists', path: 'src/receipt.js' },
          { type: 'glob_exists', pattern: 'test/receipt*.test.js' },
        ],
      },
      expected: { status: 'done', tiers: ['haiku'], verified: true, delivered: true },
    },
    {
      task: {
        ...common,
        id: 'd-notes',
        title: 'Document how prices and carts work (no signals, no gates)',
        role: 'docs',
        base_ref: 'sandbox',
      },
      expected: { status: 'done', tiers: ['haiku'], verified: false, delivered: false },
    },
    {
      task: {
        ...common,
        id: 'e-names',
        title: 'Sort names in every language',
        base_ref: 'hard',
        description: 'sortNames(names, language) sorts as a reader of that language expects.',
        completion_signals: [{ type: 'test_passes', command: 'node --test test/names.test.js' }],
      },
      expected: {
        status: 'failed',
        tiers: ['haiku', 'sonnet', 'opus'],
        verified: null,
        delivered: false,
      },
    },
  ];
}

/** Returns the task whose tests pass with a hard-coded answer, which the judge catches. */
export const buildHardCodedAnswerTask = (url: string): DemoTask => ({
  task: {
    repository: url,
    adapter: SCRIPTED,
    id: 'f-parcels',
    title: 'Compute the number of parcels for a weight',
    base_ref: 'parcels',
    description:
      'parcels(grams) gives the number of parcels of 2 kg at the most; what is sent takes one at least.',
    files: ['src/parcels.js'],
    completion_signals: [
      { type: 'test_passes', command: 'node --test test/parcels.test.js' },
      {
        type: 'llm_judge',
        criteria: 'parcels() computes the number for any weight; no weight of a test is hard-coded.',
      },
    ],
  },
  expected: { status: 'done', tiers: ['haiku', 'sonnet'], verified: true, delivered: true },
});

/** Returns the task whose first patch passes every test that its author sees; acceptance tests catch the requirement that it drops. */
export const buildDroppedRequirementTask = (url: string): DemoTask => ({
  task: {
    repository: url,
    adapter: SCRIPTED,
    id: 'g-vouchers',
    title: 'Take vouchers off the price',
    base_ref: 'vouchers',
    description:
      'pay(goods, vouchers) takes the cents of each voucher off the goods, and never gives less than 0. A voucher counts once, however often its code is given.',
    acceptance_tests: 'gate',
    completion_signals: [{ type: 'test_passes', command: 'node --test' }],
  },
  expected: { status: 'done', tiers: ['haiku', 'sonnet'], verified: true, delivered: true },
});

/** Returns the task with verification as a stage: a failing grade, then an approval request, then a review. */
export const buildVerificationStageTask = (url: string): DemoTask => ({
  task: {
    repository: url,
    adapter: SCRIPTED,
    id: 'h-reviewed',
    title: 'Compute the number of parcels for a weight, graded by a rubric',
    base_ref: 'reviewed',
    workflow: 'careful',
    // Without `files`: it would hold the file lock that f-parcels needs while it waits for the review, which waits for f-parcels.
    description:
      'parcels(grams) gives the number of parcels of 2 kg at the most; what is sent takes one at least.',
    acceptance_criteria: ['The number is computed from the weight', 'A weight of 0 takes one parcel'],
    completion_signals: [{ type: 'test_passes', command: 'node --test test/parcels.test.js' }],
  },
  expected: {
    status: 'done',
    tiers: ['haiku', 'sonnet'],
    verified: true,
    delivered: true,
    approvedActions: ['deploy:staging'],
  },
  approvalReason: 'Staging is free today.',
  reviewReason: 'Read it: it divides and rounds up.',
});
