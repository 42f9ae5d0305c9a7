import * as fc from 'fast-check';
import {
  CALL_FAULTS,
  type ScheduledFault,
  type ServiceOutage,
  SIMULATED_SERVICES,
} from './world/call-faults.ts';

/** What an agent makes of the task. What gates will see of it is the world's truth, whoever says what. */
export const WORK_QUALITIES = ['good', 'bad', 'unclear', 'unchecked', 'empty'] as const;
export type WorkQuality = (typeof WORK_QUALITIES)[number];

/** What a hostile agent tries. */
export const AGENT_ATTACKS = [
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
export type AgentAttack = (typeof AGENT_ATTACKS)[number];

/** What agents ask leave for in mid-run, and who may give it: the agent itself, time alone, or a person. */
export const APPROVAL_ACTIONS = {
  'code:write': 'free',
  'org:hire': 'time',
  'deploy:production': 'person',
  'moon:land': 'person',
} as const;
export type ApprovalAction = keyof typeof APPROVAL_ACTIONS;

/** What people say to it. `allow_own` is the word of whoever holds the outside agents' tokens. */
export const APPROVAL_DECISIONS = ['allow', 'deny', 'allow_own'] as const;
/** What people say to a request. */
export const REQUEST_DECISIONS = ['yes', 'no', 'clarify'] as const;
/** A word, so many milliseconds after what it is about. */
export interface DecisionPlan<Kind> {
  readonly after: number;
  readonly kind: Kind;
}

/** What acceptance tests of the work show. `missing`: their author was lost, so nothing independent shows that it is right. */
export const EXAM_RESULTS = ['none', 'met', 'not_met', 'missing'] as const;
export type ExamResult = (typeof EXAM_RESULTS)[number];
/** How one container of a challenger ends. `lost`: without a report. */
export const CHALLENGER_ENDS = ['nothing', 'counterexample', 'no_answer', 'lost'] as const;
export type ChallengerEndPlan = (typeof CHALLENGER_ENDS)[number];

export interface WorkPlan {
  readonly seconds: number;
  readonly quality: WorkQuality;
  readonly reportedStatus: 'completed' | 'unsure' | 'failed' | 'nothing';
  readonly attack: AgentAttack;
  readonly heartbeats: boolean;
  readonly uploads: boolean;
  readonly tokens: number;
  /** Asked half way through; null: nothing. */
  readonly approvalRequest: ApprovalAction | null;
  readonly approvalDecisions: readonly DecisionPlan<(typeof APPROVAL_DECISIONS)[number]>[];
  readonly exam: ExamResult;
  /** Seconds that the gates wait for the exam. */
  readonly examSeconds: number;
  /** Ends of the challenger's containers, one after the other; the last one repeats. */
  readonly challengers: readonly ChallengerEndPlan[];
}

export interface TaskPlan {
  readonly submittedAt: number;
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
  readonly resubmittedAfter: number | null;
  readonly attempts: readonly WorkPlan[];
  /** The remote takes no push of it. */
  readonly pushRefused: boolean;
  /** After what its deliver boxes are gone without a word, one after the other. */
  readonly lostDeliveries: readonly ('leave' | 'push')[];
  readonly large: boolean;
  readonly queued: boolean;
  readonly fixUps: 0 | 1 | 2;
  readonly challenge: 'off' | 'advise' | 'gate';
  /** A model is to be asked about it. */
  readonly asksModel: boolean;
  /** Starts when enough of what it depends on is done. */
  readonly dependencyPolicy: 'wait' | 'lenient' | 'strict';
  /** Asked for as a request; null: submitted as it is. */
  readonly requestMode: 'review' | 'direct' | null;
  readonly requestDecisions: readonly DecisionPlan<(typeof REQUEST_DECISIONS)[number]>[];
}

export const USER_ACTIONS = [
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
  readonly kind: (typeof USER_ACTIONS)[number];
  readonly task: number;
}

export interface SimulationPlan {
  readonly tasks: readonly TaskPlan[];
  readonly actions: readonly ActionPlan[];
  readonly faults: readonly ScheduledFault[];
  readonly outages: readonly ServiceOutage[];
  /** Seconds at which everything that runs is lost. */
  readonly powerCuts: readonly number[];
  /** Seconds at which the main branch moves. */
  readonly mainMoves: readonly number[];
  readonly latency: number;
  readonly indexLag: number;
  /** Share of the batches of a stream that come a second time. */
  readonly redelivery: number;
  /** At the end people and outside agents see to all that waits for them. */
  readonly resolvesPending: boolean;
  /** Share of the executions that are acknowledged and never run. */
  readonly lostStarts: number;
  /** Share of those that run twice. */
  readonly doubleStarts: number;
  /** Share of those that die on the way. */
  readonly diedStarts: number;
  readonly seed: number;
}

/** Seconds in which everything planned happens; after that nothing goes wrong any more. */
export const HORIZON_SECONDS = 900;
const time = fc.integer({ min: 0, max: HORIZON_SECONDS });
const early = fc.integer({ min: 0, max: 120 });
/** Shrinks to the first, which is the plainest. */
const oneOf = <const T>(...items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);
const often = <T>(plain: T, other: fc.Arbitrary<T>, weight = 4): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(plain), weight }, { arbitrary: other, weight: 1 });

/** Often some at once: that is when they race. */
const words = <const Kind extends string>(
  ...kinds: readonly Kind[]
): fc.Arbitrary<readonly DecisionPlan<Kind>[]> =>
  fc.array(
    fc.record<DecisionPlan<Kind>>({
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
  reportedStatus: often<WorkPlan['reportedStatus']>(
    'completed',
    oneOf('completed', 'unsure', 'failed', 'nothing'),
  ),
  attack: often<AgentAttack>('none', fc.constantFrom(...AGENT_ATTACKS)),
  heartbeats: often(true, fc.boolean(), 6),
  uploads: fc.boolean(),
  tokens: fc.integer({ min: 0, max: 200_000 }),
  approvalRequest: often<ApprovalAction | null>(
    null,
    fc.constantFrom(...(Object.keys(APPROVAL_ACTIONS) as ApprovalAction[])),
    2,
  ),
  approvalDecisions: words(...APPROVAL_DECISIONS),
  exam: often<ExamResult>('none', fc.constantFrom(...EXAM_RESULTS), 3),
  examSeconds: often(0, oneOf(60, 240), 3),
  challengers: fc.array(often<ChallengerEndPlan>('nothing', fc.constantFrom(...CHALLENGER_ENDS), 1), {
    minLength: 1,
    maxLength: 3,
  }),
});

const UNPRICED_MODEL = 'a-model-of-no-price';

const task: fc.Arbitrary<TaskPlan> = fc.record<TaskPlan>({
  submittedAt: early,
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
  model: often<string | null>(null, oneOf('opus', UNPRICED_MODEL), 5),
  resubmittedAfter: often<number | null>(null, fc.integer({ min: 0, max: 60 }), 4),
  attempts: fc.array(work, { minLength: 1, maxLength: 5 }),
  challenge: often<TaskPlan['challenge']>('off', oneOf('advise', 'gate', 'gate'), 2),
  pushRefused: often(false, fc.boolean(), 9),
  lostDeliveries: often<TaskPlan['lostDeliveries']>(
    [],
    fc.array(oneOf('leave', 'push'), { maxLength: 4 }),
    4,
  ),
  large: often(false, fc.boolean(), 30),
  queued: often(false, fc.constant(true), 2),
  fixUps: oneOf(0, 0, 1, 2),
  asksModel: often(false, fc.constant(true), 5),
  dependencyPolicy: oneOf('wait', 'wait', 'lenient', 'strict'),
  requestMode: often<TaskPlan['requestMode']>(null, oneOf('review', 'review', 'direct'), 2),
  requestDecisions: words(...REQUEST_DECISIONS),
});

const fault = fc.record<ScheduledFault>({
  call: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 1_000 })),
  fault: fc.constantFrom(...CALL_FAULTS),
});
const outage = fc.record<ServiceOutage>({
  service: fc.constantFrom(...SIMULATED_SERVICES),
  from: time,
  seconds: fc.integer({ min: 1, max: 60 }),
});

/** Tasks depend on earlier ones only. */
const tasks = fc.array(task, { minLength: 1, maxLength: 5 }).map((all) =>
  all.map((each, index) => ({
    ...each,
    // A limit on the cost of a model without a price is refused.
    maxCost: each.runner === 'managed' && each.model === UNPRICED_MODEL ? null : each.maxCost,
    dependsOn: each.dependsOn.map((back) => index - back).filter((at) => at >= 0),
  })),
);

/** Everything that chance decides in one run. */
export const planArbitrary: fc.Arbitrary<SimulationPlan> = fc.record<SimulationPlan>({
  tasks,
  actions: fc.array(
    fc.record<ActionPlan>({ at: time, kind: fc.constantFrom(...USER_ACTIONS), task: fc.nat(4) }),
    {
      maxLength: 12,
    },
  ),
  faults: fc.array(fault, { maxLength: 24 }),
  outages: often<readonly ServiceOutage[]>([], fc.array(outage, { maxLength: 2 }), 2),
  powerCuts: often<readonly number[]>([], fc.array(time, { maxLength: 2 }), 4),
  mainMoves: often<readonly number[]>([], fc.array(time, { maxLength: 2 }), 3),
  latency: oneOf(5, 40, 400),
  indexLag: oneOf(0, 100, 2_000),
  resolvesPending: fc.boolean(),
  seed: fc.nat(),
  redelivery: oneOf(0, 0.05, 0.3),
  lostStarts: often(0, oneOf(0.1, 0.5, 1), 2),
  doubleStarts: often(0, oneOf(0.1, 0.5, 1), 2),
  diedStarts: often(0, oneOf(0.1, 0.5, 1), 2),
});
