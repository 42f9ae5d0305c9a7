import * as z from 'zod';
import { Tier, type TierModels } from '../../../contract/agents/tiers.ts';
import { RoleName, TaskComplexity } from '../../../contract/submission/schema.ts';
import { estimateTokenCostUsd } from '../learning/tier-pass-rate.ts';

/** How one task came out on one tier. A line of our own for each, or of another system. */
export const RecordedTierOutcomeLine = z.strictObject({
  task: z.string().min(1).max(200),
  role: RoleName.default('backend'),
  complexity: TaskComplexity.default('medium'),
  tier: Tier,
  /** Absent: what fills the tier. */
  model: z.string().min(1).optional(),
  passed: z.boolean(),
  /** Of all kinds together; with it, a missing cost is taken from the price, half of them as input. */
  tokens: z.number().nonnegative().nullable().default(null),
  cost_usd: z.number().nonnegative().nullable().default(null),
  seconds: z.number().nonnegative().nullable().default(null),
});

/** What is read of a chain record of ours. */
const ChainRecord = z.object({
  chain_id: z.string(),
  role: z.string(),
  complexity: TaskComplexity,
  timestamp: z.iso.datetime(),
  attempts: z.array(
    z.object({
      tier: z.string().nullable().optional(),
      model: z.string().nullable(),
      passed: z.boolean().nullable().optional(),
      cost_usd: z.number().nonnegative().nullable(),
      latency_s: z.number().nonnegative().nullable(),
      tokens_used: z.number().nonnegative().nullable(),
    }),
  ),
});
const SyntheticMarker = z.object({ synthetic: z.literal(true) });

export interface RecordedTierOutcome {
  readonly model: string;
  readonly passed: boolean;
  /** Null: not known. */
  readonly cost_usd: number | null;
  readonly seconds: number | null;
}

/** A task with what is known of it: a tier that is missing was never tried. */
export interface RecordedTask {
  readonly id: string;
  readonly role: string;
  readonly complexity: TaskComplexity;
  readonly tiers: Readonly<Partial<Record<Tier, RecordedTierOutcome>>>;
}

export interface RecordedOutcomes {
  readonly tasks: readonly RecordedTask[];
  /** The data says of itself that it was made up. */
  readonly synthetic: boolean;
  readonly problems: readonly RecordLineProblem[];
  /** What can be replayed, and of which something is not known: each names its field. */
  readonly missing_values: readonly RecordLineProblem[];
}

/** Of a line of a file. */
export interface RecordLineProblem {
  readonly line: number;
  readonly message: string;
}

type Line = z.infer<typeof RecordedTierOutcomeLine>;

function linesOf(value: unknown): Line[] {
  if (typeof value !== 'object' || value === null || !('chain_id' in value))
    return [RecordedTierOutcomeLine.parse(value)];
  const chain = ChainRecord.parse(value);
  const lines = chain.attempts.flatMap(
    ({ tier, model, passed, cost_usd, latency_s, tokens_used }): Line[] => {
      const known = Tier.safeParse(tier);
      if (!known.success || model === null || passed === null || passed === undefined) return [];
      const { role, complexity } = chain;
      const of = { task: chain.chain_id, role, complexity, tier: known.data, model, passed };
      return [{ ...of, tokens: tokens_used, cost_usd, seconds: latency_s }];
    },
  );
  // Another agent of the same tier may have tried once more: the tier came out as its last attempt did, for what all have cost.
  return [...Map.groupBy(lines, ({ tier }) => tier).values()].map((tried) => tried.reduce(mergeLines));
}

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);
const mergeLines = (a: Line, b: Line): Line => ({
  ...b,
  tokens: sum(a.tokens, b.tokens),
  cost_usd: sum(a.cost_usd, b.cost_usd),
  seconds: sum(a.seconds, b.seconds),
});

/** In which field a line says something else of a task and tier than an earlier one did, and what; null: in none. */
function contradiction(of: Line, task: RecordedTask): string | null {
  const before = task.tiers[of.tier];
  if (task.role !== of.role) return `role: task ${of.task} has role ${task.role} in an earlier line`;
  if (task.complexity !== of.complexity)
    return `complexity: task ${of.task} has complexity ${task.complexity} in an earlier line`;
  if (!before) return null;
  if (before.passed !== of.passed) return `passed: task ${of.task} both passed and failed on ${of.tier}`;
  return of.cost_usd !== null && before.cost_usd !== null && of.cost_usd !== before.cost_usd
    ? `cost_usd: task ${of.task} on ${of.tier} cost ${before.cost_usd} in an earlier line`
    : null;
}

const messages = (error: unknown): string[] =>
  error instanceof z.ZodError
    ? error.issues.map(({ path, message }) => `${path.length === 0 ? '' : `${path.join('.')}: `}${message}`)
    : [error instanceof Error ? error.message : String(error)];

/**
 * Reads recorded outcomes: lines of {@link RecordedTierOutcomeLine}, chain records, or both. The same fact twice counts once; a tier that both passed and
 * failed one task is a contradiction, and named. `now`: ISO time that prices are taken of.
 */
export function readRecordedOutcomes(text: string, models: TierModels, now: string): RecordedOutcomes {
  const tasks = new Map<string, RecordedTask & { tiers: Partial<Record<Tier, RecordedTierOutcome>> }>();
  const problems: RecordLineProblem[] = [];
  const unknowns: RecordLineProblem[] = [];
  let synthetic = false;
  const add = (of: Line, line: number): void => {
    const model = of.model ?? models[of.tier];
    const cost_usd = of.cost_usd ?? (of.tokens === null ? null : estimateTokenCostUsd(model, of.tokens, now));
    const task = tasks.get(of.task) ?? { id: of.task, role: of.role, complexity: of.complexity, tiers: {} };
    const message = contradiction(of, task);
    if (message) problems.push({ line, message });
    else if (!task.tiers[of.tier]) {
      if (cost_usd === null)
        unknowns.push({
          line,
          message:
            of.tokens === null
              ? 'cost_usd: is missing, and so are tokens: what it cost is not known'
              : `model: nobody knows a price of ${model}, so what it cost is not known; cost_usd would say it`,
        });
      task.tiers[of.tier] = { model, passed: of.passed, cost_usd, seconds: of.seconds };
      tasks.set(of.task, task);
    }
  };
  for (const [index, each] of text.split('\n').entries()) {
    if (each.trim() === '') continue;
    try {
      const value: unknown = JSON.parse(each);
      if (SyntheticMarker.safeParse(value).success) synthetic = true;
      else for (const of of linesOf(value)) add(of, index + 1);
    } catch (error) {
      for (const message of messages(error)) problems.push({ line: index + 1, message });
    }
  }
  return { tasks: [...tasks.values()], synthetic, problems, missing_values: unknowns };
}
