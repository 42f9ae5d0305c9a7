import { fileURLToPath } from 'node:url';
import type { TaskView } from '../../shared/api/schemas.ts';
import type { Adapter } from '../../shared/contract/agents/adapter.ts';
import type { SubmitTaskInput } from '../../shared/contract/submission/schema.ts';
import { deliveryBranch } from '../../shared/contract/task/task.ts';

/** How a task of the demo must end. */
interface Expected {
  readonly status: TaskView['status'];
  /** Tiers of its attempts, in order. */
  readonly tiers: readonly string[];
  readonly verified: boolean | null;
  readonly delivered: boolean;
  /** What its agents are allowed by a person in mid-run; absent: they ask for nothing. */
  readonly allowed?: readonly string[];
}

export interface DemoTask {
  readonly task: SubmitTaskInput & { readonly id: string };
  readonly expected: Expected;
  /** What a person says of its work, scripted like the rest; absent: nobody is there. */
  readonly approval?: string;
  /** What a person says when its agent asks leave in mid-run. */
  readonly leave?: string;
}

const agent = fileURLToPath(new URL('./agent/main.ts', import.meta.url));

const SCRIPTED: Adapter = {
  kind: 'command',
  argv: [process.execPath, agent, '{task_id}', '{model}'],
  timeout_s: 60,
};

/** The five tasks of the demo on the repository at `url`. */
export function demoTasks(url: string, adapter = SCRIPTED): readonly DemoTask[] {
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
        base_ref: deliveryBranch('b-discount'),
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
        title: 'Write some notes (no signals, no gates)',
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

/** The task of the demo whose tests are passed by a patch that a judge sees through. */
export const judgedTask = (url: string): DemoTask => ({
  task: {
    repository: url,
    adapter: SCRIPTED,
    id: 'f-parcels',
    title: 'Tell how many parcels a weight takes',
    base_ref: 'parcels',
    description:
      'parcels(grams) gives the number of parcels of 2 kg at the most; what is sent takes one at least.',
    files: ['src/parcels.js'],
    completion_signals: [
      { type: 'test_passes', command: 'node --test test/parcels.test.js' },
      {
        type: 'llm_judge',
        criteria:
          'parcels() works the number out for any weight; nothing is looked up by the weights of the tests.',
      },
    ],
  },
  expected: { status: 'done', tiers: ['haiku', 'sonnet'], verified: true, delivered: true },
});

/** The task of the demo that goes through verification as a stage: graded down once, then parked by an agent that asks leave, then for a person to decide. */
export const stageTask = (url: string): DemoTask => ({
  task: {
    repository: url,
    adapter: SCRIPTED,
    id: 'g-reviewed',
    title: 'Tell how many parcels a weight takes, graded by a rubric',
    base_ref: 'reviewed',
    workflow: 'careful',
    // No `files`: while it waits for a person it would keep those of f-parcels, for whose end the demo waits before that person speaks.
    description:
      'parcels(grams) gives the number of parcels of 2 kg at the most; what is sent takes one at least.',
    acceptance_criteria: ['The number is worked out from the weight', 'What weighs nothing takes one parcel'],
    completion_signals: [{ type: 'test_passes', command: 'node --test test/parcels.test.js' }],
  },
  expected: {
    status: 'done',
    tiers: ['haiku', 'sonnet'],
    verified: true,
    delivered: true,
    allowed: ['deploy:staging'],
  },
  leave: 'Nobody else is on staging today.',
  approval: 'Looked at it: it divides and rounds up.',
});
