import { describe, expect, it } from 'vitest';
import {
  beginNextAgentRun,
  createAgentRunState,
  resetAgentRunOutcome,
} from '../../containers/agent/adapters/run-state.ts';

const USAGE = { input_tokens: 3, output_tokens: 2, cache_read_tokens: 1, cache_write_tokens: 0 };
const endedRun = () =>
  Object.assign(createAgentRunState(), {
    ...{ sessionId: 's', turns: 4, hasEnded: true, stopReason: 'refusal', costUsd: 1 },
    ...{ failure: { class: 'refused', reason: 'no' }, status: 'blocked', summary: 'no key' },
    ...{ waitReason: 'the provider', waitFailureClass: 'rate_limited' },
  } as const);

describe('run state between two runs of an agent', () => {
  it('forgets how the run ended, and keeps its session and turns', () => {
    const state = endedRun();
    beginNextAgentRun(state, false);
    expect(state).toEqual({ ...createAgentRunState(), sessionId: 's', turns: 4 });
  });

  it('forgets the end alone when a silent run is told to go on', () => {
    const state = endedRun();
    resetAgentRunOutcome(state);
    expect(state).toEqual({ ...endedRun(), hasEnded: false, failure: null, stopReason: null });
  });

  it('adds usage and cost of the earlier run to those of the next, by model', () => {
    const state = endedRun();
    state.usageByModel.set('small', USAGE).set('large', USAGE);
    const { addEarlier } = beginNextAgentRun(state, false);
    state.usageByModel.set('large', USAGE);
    state.costUsd = 0.5;
    addEarlier();
    expect(state.costUsd).toBe(1.5);
    expect(state.usageByModel.get('small')).toEqual(USAGE);
    expect(state.usageByModel.get('large')).toEqual({
      ...USAGE,
      input_tokens: 6,
      output_tokens: 4,
      cache_read_tokens: 2,
    });
  });

  it('counts a session once where the next run resumes it and reports sums of the session', () => {
    const state = Object.assign(endedRun(), { costUsd: 0.36 });
    state.usageByModel.set('small', USAGE).set('large', USAGE);
    const { addEarlier } = beginNextAgentRun(state, true);
    const total = { ...USAGE, input_tokens: 5 };
    state.usageByModel.set('large', total);
    state.costUsd = 0.38;
    addEarlier();
    expect(state.costUsd).toBe(0.38);
    expect(state.usageByModel.get('large')).toEqual(total);
    expect(state.usageByModel.get('small')).toEqual(USAGE);
  });

  it('adds sums that are lower than those of the earlier runs, which they cannot include', () => {
    const state = endedRun();
    state.usageByModel.set('large', USAGE);
    const { addEarlier } = beginNextAgentRun(state, true);
    state.usageByModel.set('large', { ...USAGE, input_tokens: 1 });
    state.costUsd = 0.1;
    addEarlier();
    expect(state.costUsd).toBe(1.1);
    expect(state.usageByModel.get('large')?.input_tokens).toBe(4);
  });
});
