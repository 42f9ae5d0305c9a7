import * as z from 'zod';
import { Complexity, Role } from '../../task/schema.ts';
import { blendedUsd } from '../learning/belief.ts';
import { Tier, type TierModels } from '../tiers.ts';

/** How one task came out on one tier. A line of our own for each, or of another system. */
export const RecordedOutcome = z.strictObject({
  task: z.string().min(1).max(200),
  role: Role.default('backend'),
  complexity: Complexity.default('medium'),
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
  complexity: Complexity,
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
const Note = z.object({ synthetic: z.literal(true) });

export interface TierOutcome {
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
  readonly complexity: Complexity;
  readonly tiers: Readonly<Partial<Record<Tier, TierOutcome>>>;
}

export interface Recorded {
  readonly tasks: readonly RecordedTask[];
  /** The data says of itself that it was made up. */
  readonly synthetic: boolean;
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

type Line = z.infer<typeof RecordedOutcome>;

function linesOf(value: unknown): Line[] {
  if (typeof value !== 'object' || value === null || !('chain_id' in value))
    return [RecordedOutcome.parse(value)];
  const chain = ChainRecord.parse(value);
  return chain.attempts.flatMap(({ tier, model, passed, cost_usd, latency_s, tokens_used }): Line[] => {
    const known = Tier.safeParse(tier);
    if (!known.success || model === null || passed === null || passed === undefined) return [];
    const { role, complexity } = chain;
    const of = { task: chain.chain_id, role, complexity, tier: known.data, model, passed };
    return [{ ...of, tokens: tokens_used, cost_usd, seconds: latency_s }];
  });
}

const messages = (error: unknown): string[] =>
  error instanceof z.ZodError
    ? error.issues.map(({ path, message }) => `${path.length === 0 ? '' : `${path.join('.')}: `}${message}`)
    : [error instanceof Error ? error.message : String(error)];

/**
 * Reads recorded outcomes: lines of {@link RecordedOutcome}, chain records, or both. The same fact twice counts once; a tier that both passed and
 * failed one task is a contradiction, and named. `now`: ISO time that prices are taken of.
 */
export function readRecorded(text: string, models: TierModels, now: string): Recorded {
  const tasks = new Map<string, RecordedTask & { tiers: Partial<Record<Tier, TierOutcome>> }>();
  const problems: { line: number; message: string }[] = [];
  let synthetic = false;
  const add = (of: Line, line: number): void => {
    const model = of.model ?? models[of.tier];
    const cost_usd = of.cost_usd ?? (of.tokens === null ? null : blendedUsd(model, of.tokens, now));
    const task = tasks.get(of.task) ?? { id: of.task, role: of.role, complexity: of.complexity, tiers: {} };
    const before = task.tiers[of.tier];
    if (task.role !== of.role || task.complexity !== of.complexity)
      problems.push({ line, message: `task ${of.task} has another role or complexity in an earlier line` });
    else if (before && before.passed !== of.passed)
      problems.push({ line, message: `task ${of.task} both passed and failed on ${of.tier}` });
    else if (!before) {
      task.tiers[of.tier] = { model, passed: of.passed, cost_usd, seconds: of.seconds };
      tasks.set(of.task, task);
    }
  };
  for (const [index, each] of text.split('\n').entries()) {
    if (each.trim() === '') continue;
    try {
      const value: unknown = JSON.parse(each);
      if (Note.safeParse(value).success) synthetic = true;
      else for (const of of linesOf(value)) add(of, index + 1);
    } catch (error) {
      for (const message of messages(error)) problems.push({ line: index + 1, message });
    }
  }
  return { tasks: [...tasks.values()], synthetic, problems };
}
