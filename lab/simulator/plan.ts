import * as fc from 'fast-check';
import { FAULTS, type FaultAt, type Outage, SERVICES } from './world/faults.ts';

/** What an agent makes of the task. What gates will see of it is the world's truth, whoever says what. */
export const QUALITIES = ['good', 'bad', 'unclear', 'unchecked', 'empty'] as const;
export type Quality = (typeof QUALITIES)[number];

/** What a hostile agent tries. */
export const TRICKS = [
  'none',
  /** Names a commit as the base on which everything passes. */
  'weak_base',
  /** Names a good tree and hands in the patch of a bad one. */
  'other_tree',
  /** Reports with the token of an earlier attempt. */
  'old_token',
  /** Hands in a second, bad patch after the first, and puts it where the first one lies. */
  'second_work',
] as const;
export type Trick = (typeof TRICKS)[number];

/** What agents ask leave for in mid-run, and who may give it: the agent itself, time alone, or a person. */
export const ASKED = {
  'code:write': 'free',
  'org:hire': 'time',
  'deploy:production': 'person',
  'moon:land': 'person',
} as const;
export type Ask = keyof typeof ASKED;

/** What people say to it. `allow_own` is the word of whoever holds the outside agents' tokens. */
export const LEAVE_WORDS = ['allow', 'deny', 'allow_own'] as const;
/** What people say to a request. */
export const REQUEST_WORDS = ['yes', 'no', 'clarify'] as const;
/** A word, so many milliseconds after what it is about. */
export interface WordPlan<Kind> {
  readonly after: number;
  readonly kind: Kind;
}

export interface WorkPlan {
  readonly seconds: number;
  readonly quality: Quality;
  readonly says: 'completed' | 'unsure' | 'failed' | 'nothing';
  readonly trick: Trick;
  readonly heartbeats: boolean;
  readonly uploads: boolean;
  readonly tokens: number;
  /** Asked half way through; null: nothing. */
  readonly asks: Ask | null;
  readonly leave: readonly WordPlan<(typeof LEAVE_WORDS)[number]>[];
}

export interface TaskPlan {
  readonly at: number;
  readonly runner: 'managed' | 'external';
  /** Positions of earlier tasks. */
  readonly dependsOn: readonly number[];
  readonly files: readonly string[];
  readonly priority: 1 | 2 | 3;
  readonly maxAttempts: number;
  readonly maxRetries: number;
  readonly maxCost: number | null;
  readonly deliverUnverified: boolean;
  readonly model: string | null;
  /** Sent again with the same key after so many seconds. */
  readonly again: number | null;
  readonly works: readonly WorkPlan[];
  /** The remote takes no push of it. */
  readonly pushRefused: boolean;
  /** After what its deliver boxes are gone without a word, one after the other. */
  readonly lostDeliveries: readonly ('leave' | 'push')[];
  readonly large: boolean;
  readonly queued: boolean;
  readonly fixUps: 0 | 1 | 2;
  /** A model is to be asked about it. */
  readonly judged: boolean;
  /** Starts when enough of what it depends on is done. */
  readonly partial: 'wait' | 'lenient' | 'strict';
  /** Asked for as a request; null: submitted as it is. */
  readonly requested: 'review' | 'direct' | null;
  readonly said: readonly WordPlan<(typeof REQUEST_WORDS)[number]>[];
}

export const ACTIONS = [
  'cancel',
  'fail',
  'retry',
  'approve',
  'reject',
  'claim',
  'claim_next',
  'list',
] as const;
export interface ActionPlan {
  readonly at: number;
  readonly kind: (typeof ACTIONS)[number];
  readonly task: number;
}

export interface Plan {
  readonly tasks: readonly TaskPlan[];
  readonly actions: readonly ActionPlan[];
  readonly faults: readonly FaultAt[];
  readonly outages: readonly Outage[];
  /** Seconds at which everything that runs is lost. */
  readonly powerCuts: readonly number[];
  /** Seconds at which the main branch moves. */
  readonly mainMoves: readonly number[];
  readonly latency: number;
  readonly indexLag: number;
  /** Share of the batches of a stream that come a second time. */
  readonly redelivery: number;
  /** At the end people and outside agents see to all that waits for them. */
  readonly tidy: boolean;
  /** Share of the executions that are acknowledged and never run. */
  readonly lostStarts: number;
  /** Share of those that run twice. */
  readonly doubleStarts: number;
  /** Share of those that die on the way. */
  readonly cutShort: number;
  readonly seed: number;
}

/** Seconds in which everything planned happens; after that nothing goes wrong any more. */
export const HORIZON = 900;
const time = fc.integer({ min: 0, max: HORIZON });
const early = fc.integer({ min: 0, max: 120 });
/** Shrinks to the first, which is the plainest. */
const oneOf = <const T>(...items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
const often = <T>(plain: T, other: fc.Arbitrary<T>, weight = 4): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(plain), weight }, { arbitrary: other, weight: 1 });

/** Often some at once: that is when they race. */
const words = <const Kind extends string>(
  ...kinds: readonly Kind[]
): fc.Arbitrary<readonly WordPlan<Kind>[]> =>
  fc.array(
    fc.record<WordPlan<Kind>>({
      after: fc.oneof(
        oneOf(0, 500, 1_000),
        fc.integer({ min: 0, max: 3_000 }),
        fc.integer({ min: 0, max: 1_500_000 }),
      ),
      kind: oneOf(...kinds),
    }),
    { maxLength: 4 },
  );

const work = fc.record<WorkPlan>({
  seconds: fc.integer({ min: 1, max: 300 }),
  quality: oneOf('good', 'bad', 'good', 'bad', 'unclear', 'unchecked', 'empty'),
  says: often<WorkPlan['says']>('completed', oneOf('completed', 'unsure', 'failed', 'nothing')),
  trick: often<Trick>('none', fc.constantFrom(...TRICKS)),
  heartbeats: often(true, fc.boolean(), 6),
  uploads: fc.boolean(),
  tokens: fc.integer({ min: 0, max: 200_000 }),
  asks: often<Ask | null>(null, fc.constantFrom(...(Object.keys(ASKED) as Ask[])), 2),
  leave: words(...LEAVE_WORDS),
});

const task: fc.Arbitrary<TaskPlan> = fc.record<TaskPlan>({
  at: early,
  runner: oneOf('managed', 'managed', 'external'),
  // How many tasks back, first; positions below.
  dependsOn: often<readonly number[]>(
    [],
    fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }),
    2,
  ),
  files: often<readonly string[]>([], fc.uniqueArray(oneOf('a', 'a/b', 'c'), { maxLength: 2 }), 1),
  priority: oneOf(2, 1, 3),
  maxAttempts: fc.integer({ min: 1, max: 5 }),
  maxRetries: fc.integer({ min: 0, max: 3 }),
  maxCost: often<number | null>(null, oneOf(0.01, 0.5), 3),
  deliverUnverified: fc.boolean(),
  model: often<string | null>(null, oneOf('opus', 'a-model-of-no-price'), 5),
  again: often<number | null>(null, fc.integer({ min: 0, max: 60 }), 4),
  works: fc.array(work, { minLength: 1, maxLength: 5 }),
  pushRefused: often(false, fc.boolean(), 9),
  lostDeliveries: often<TaskPlan['lostDeliveries']>(
    [],
    fc.array(oneOf('leave', 'push'), { maxLength: 4 }),
    4,
  ),
  large: often(false, fc.boolean(), 30),
  queued: often(false, fc.constant(true), 2),
  fixUps: oneOf(0, 0, 1, 2),
  judged: often(false, fc.constant(true), 5),
  partial: oneOf('wait', 'wait', 'lenient', 'strict'),
  requested: often<TaskPlan['requested']>(null, oneOf('review', 'review', 'direct'), 2),
  said: words(...REQUEST_WORDS),
});

const fault = fc.record<FaultAt>({
  call: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 1_000 })),
  fault: fc.constantFrom(...FAULTS),
});
const outage = fc.record<Outage>({
  service: fc.constantFrom(...SERVICES),
  from: time,
  seconds: fc.integer({ min: 1, max: 60 }),
});

/** Tasks depend on earlier ones only. */
const tasks = fc.array(task, { minLength: 1, maxLength: 5 }).map((all) =>
  all.map((each, index) => ({
    ...each,
    dependsOn: each.dependsOn.map((back) => index - back).filter((at) => at >= 0),
  })),
);

/** Everything that chance decides in one run. */
export const plans: fc.Arbitrary<Plan> = fc.record<Plan>({
  tasks,
  actions: fc.array(fc.record<ActionPlan>({ at: time, kind: fc.constantFrom(...ACTIONS), task: fc.nat(4) }), {
    maxLength: 12,
  }),
  faults: fc.array(fault, { maxLength: 24 }),
  outages: often<readonly Outage[]>([], fc.array(outage, { maxLength: 2 }), 2),
  powerCuts: often<readonly number[]>([], fc.array(time, { maxLength: 2 }), 4),
  mainMoves: often<readonly number[]>([], fc.array(time, { maxLength: 2 }), 3),
  latency: oneOf(5, 40, 400),
  indexLag: oneOf(0, 100, 2_000),
  tidy: fc.boolean(),
  seed: fc.nat(),
  redelivery: oneOf(0, 0.05, 0.3),
  lostStarts: often(0, oneOf(0.1, 0.5, 1), 2),
  doubleStarts: often(0, oneOf(0.1, 0.5, 1), 2),
  cutShort: often(0, oneOf(0.1, 0.5, 1), 2),
});
