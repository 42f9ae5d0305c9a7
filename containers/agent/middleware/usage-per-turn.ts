import type { TokenUsage } from '../../../shared/contract/models/usage.ts';
import { type AgentRunState, sumTokenUsage } from '../adapters/run-state.ts';

const NOTHING: TokenUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
};

/** What each turn has used: the difference between two sums of a CLI, which some say with each turn and others at their end only. */
export class TurnUsageTracker {
  readonly costs: { readonly usage: TokenUsage; readonly usd: number | null }[] = [];
  #before: TokenUsage = NOTHING;
  #usd = 0;

  record(reading: AgentRunState): void {
    const now = sumTokenUsage(reading);
    if (now === null) return;
    const since = (name: keyof TokenUsage): number => {
      const difference = now[name] - this.#before[name];
      // A sum that has become less is that of another session.
      return difference < 0 ? now[name] : difference;
    };
    const usage = {
      input_tokens: since('input_tokens'),
      output_tokens: since('output_tokens'),
      cache_read_tokens: since('cache_read_tokens'),
      cache_write_tokens: since('cache_write_tokens'),
    };
    const usd = reading.costUsd === null ? null : Math.max(0, reading.costUsd - this.#usd);
    this.#before = now;
    this.#usd = reading.costUsd ?? this.#usd;
    if (Object.values(usage).some((count) => count > 0)) this.costs.push({ usage, usd });
  }
}
