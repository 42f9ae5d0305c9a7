import { TIERS, type Tier, type TierModels } from '../../../contract/agents/tiers.ts';
import type { TaskComplexity } from '../../../contract/submission/schema.ts';
import { createSeededRandom, sampleNormal } from '../learning/seeded-random.ts';
import { estimateTokenCostUsd } from '../learning/tier-pass-rate.ts';

/**
 * How made-up outcomes are made. A task has a difficulty drawn from a normal distribution around that of its complexity. A tier passes it when
 * its ability, with luck that is the task's and so the same for all tiers, is above: what a weaker tier does, a stronger one does too,
 * but for flakes. Tokens are log-normal; weaker tiers and failing attempts use more.
 */
export interface SyntheticParameters {
  readonly roles: readonly string[];
  readonly complexities: readonly TaskComplexity[];
  /** Mean difficulty by complexity, and its standard deviation. */
  readonly difficulty: Readonly<Record<TaskComplexity, number>>;
  readonly spread: number;
  readonly ability: Readonly<Record<Tier, number>>;
  /** How often an outcome is the other one. */
  readonly flake: number;
  /** Median tokens of an attempt, the standard deviation of their logarithm, and factors. */
  readonly tokens: number;
  readonly tokens_spread: number;
  readonly tokens_factor: Readonly<Record<Tier, number>>;
  readonly failing_factor: number;
  readonly tokens_per_second: Readonly<Record<Tier, number>>;
}

export const DEFAULT_SYNTHETIC_PARAMETERS: SyntheticParameters = {
  roles: ['backend', 'frontend', 'qa'],
  complexities: ['low', 'medium'],
  difficulty: { low: -1, medium: 0.6, high: 1.8 },
  spread: 1,
  ability: { haiku: 0, sonnet: 1.2, opus: 2.4 },
  flake: 0.02,
  tokens: 80_000,
  tokens_spread: 0.5,
  tokens_factor: { haiku: 1.3, sonnet: 1, opus: 0.9 },
  failing_factor: 1.2,
  tokens_per_second: { haiku: 900, sonnet: 500, opus: 350 },
};

/** JSONL of made-up outcomes; its first line says that they are, and from what. The same seed gives the same text. */
export function generateSyntheticOutcomes(
  tasks: number,
  seed: string,
  models: TierModels,
  at: string,
  parameters: SyntheticParameters = DEFAULT_SYNTHETIC_PARAMETERS,
): string {
  const random = createSeededRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.uniform() * list.length)] as T;
  const lines: unknown[] = [{ synthetic: true, seed, tasks, parameters }];
  for (let number = 1; number <= tasks; number++) {
    const role = pick(parameters.roles);
    const complexity = pick(parameters.complexities);
    const difficulty = parameters.difficulty[complexity] + parameters.spread * sampleNormal(random);
    const size = Math.exp(parameters.tokens_spread * sampleNormal(random));
    for (const tier of TIERS) {
      const able = parameters.ability[tier] > difficulty;
      const passed = random.uniform() < parameters.flake ? !able : able;
      const tokens = Math.round(
        parameters.tokens * size * parameters.tokens_factor[tier] * (passed ? 1 : parameters.failing_factor),
      );
      const cost = estimateTokenCostUsd(models[tier], tokens, at);
      lines.push({
        task: `synthetic-${number}`,
        role,
        complexity,
        tier,
        model: models[tier],
        passed,
        tokens,
        cost_usd: cost === null ? null : Math.round(cost * 1e6) / 1e6,
        seconds: Math.round((tokens / parameters.tokens_per_second[tier]) * 10) / 10,
      });
    }
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
