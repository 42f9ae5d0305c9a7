import type { TokenUsage } from '../../../contract/models/usage.ts';
import type { MiddlewareFactory } from '../run-context.ts';

const tokens = (usage: TokenUsage): number =>
  usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens;

/** Takes down what the turns have cost, as the CLI says it: a claim beside what the gateway has counted. It never stands in the way of a report. */
export const createCostRecordingMiddleware: MiddlewareFactory = ({ listTurnCosts, recorder }) => ({
  name: 'cost_recording',
  async after_agent(context) {
    try {
      const records = listTurnCosts().filter(({ usage, usd }) => tokens(usage) > 0 || (usd ?? 0) > 0);
      const known = records.flatMap(({ usd }) => usd ?? []);
      recorder.setFact('cost_recording.records', records.length);
      recorder.setFact(
        'cost_recording.tokens',
        records.reduce((sum, { usage }) => sum + tokens(usage), 0),
      );
      // What nobody has said is not nothing.
      if (known.length > 0)
        recorder.setFact(
          'cost_recording.usd',
          known.reduce((sum, usd) => sum + usd, 0),
        );
    } catch (error) {
      console.error(`costs of the run: ${error instanceof Error ? error.message : String(error)}`);
    }
    return context;
  },
});
