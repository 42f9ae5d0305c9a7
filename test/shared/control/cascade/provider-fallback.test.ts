import { describe, expect, it } from 'vitest';
import {
  AGENT_CLI_MANIFESTS,
  type AgentCliKind,
} from '../../../../shared/contract/agents/adapter-manifests.ts';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../../shared/contract/agents/tiers.ts';
import type { FailureCode } from '../../../../shared/contract/failure/failure-class.ts';
import type { TaskSubmissionInput } from '../../../../shared/contract/submission/schema.ts';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import { decideNextCascadeAction } from '../../../../shared/control/cascade/decide-after-attempt.ts';
import { selectNextAttemptModel } from '../../../../shared/control/cascade/model-selection.ts';
import {
  resolveAttemptAdapter,
  selectFallbackAgent,
} from '../../../../shared/control/cascade/provider-fallback.ts';
import { allowedModels } from '../../../../shared/control/model-gateway/model-grant.ts';
import type { AvailableAgentClis } from '../../../../shared/control/task-commands/adapter-problems.ts';
import { attempt, FIXED_NOW, report, task, verdict } from '../../../support/builders.ts';

const AGENTS: AvailableAgentClis = {
  defaultAdapter: { kind: 'claude', timeout_s: 900 },
  containerClis: ['claude', 'opencode', 'codex', 'gemini'],
  modelVendors: ['anthropic', 'openai', 'gemini'],
  tierModels: MODELS,
};
const down = (number: number, adapter?: AgentCliKind, failure_class: FailureCode = 'provider_overloaded') =>
  attempt({
    number,
    tier: 'sonnet',
    model: MODELS.sonnet,
    ...(adapter && { adapter }),
    outcome: 'infra_failed',
    report: report({ status: 'failed', failure_code: failure_class }),
    decision: {
      action: 'retry',
      reason: failure_class,
      next_model: MODELS.sonnet,
      next_tier: 'sonnet',
      at: FIXED_NOW.toISOString(),
    },
  });
const other = (attempts: Attempt[], request: Partial<TaskSubmissionInput> = {}, agents = AGENTS) =>
  selectFallbackAgent(task({ status: 'in_review', attempts }, request), agents);

describe('another agent', () => {
  it('tries where the provider was down twice in a row, and each provider has its turn', () => {
    expect(other([])).toBeNull();
    expect(other([down(1)])).toBeNull();
    expect(other([down(1), down(2)])).toBe('codex');
    expect(other([down(1), down(2), down(3, 'codex')])).toBeNull();
    expect(other([down(1), down(2), down(3, 'codex'), down(4, 'codex')])).toBe('gemini');
    const all = [down(1), down(2), down(3, 'codex'), down(4, 'codex'), down(5, 'gemini'), down(6, 'gemini')];
    expect(other(all)).toBeNull();
  });

  it.each([
    [
      'what failed otherwise in between',
      [down(1), down(2, undefined, 'container_lost'), down(3)],
      {},
      AGENTS,
    ],
    ['a task that names its agent', [down(1), down(2)], { adapter: { kind: 'claude' as const } }, AGENTS],
    ['a task that names a model', [down(1), down(2)], { model: 'claude-sonnet-5-5' }, AGENTS],
    ['a worker of its own', [down(1), down(2)], { runner: 'external' as const }, AGENTS],
    [
      'a machine of which nobody knows what it has',
      [down(1), down(2)],
      {},
      { ...AGENTS, containerClis: null },
    ],
    [
      'a deployment with one provider',
      [down(1), down(2)],
      {},
      { ...AGENTS, modelVendors: ['anthropic' as const] },
    ],
    [
      'an effort that the others lack',
      [down(1), down(2)],
      { effort: 'high' as const },
      { ...AGENTS, containerClis: ['claude' as const, 'gemini' as const] },
    ],
  ])('does not try for %s', (_what, attempts, request, agents) => {
    expect(other(attempts, request, agents)).toBeNull();
  });

  it('runs the same tier by its own models, says why, and may call those models only', () => {
    const of = task({ status: 'in_review', attempts: [down(1), down(2)] });
    const selected = selectNextAttemptModel(of, MODELS, 'codex');
    const { sonnet } = AGENT_CLI_MANIFESTS.codex.tiers.models;
    expect(selected).toMatchObject({ rung: { tier: 'sonnet', model: sonnet }, adapter: 'codex' });
    expect(selected.route.reason).toContain(`by codex, because the provider of ${MODELS.sonnet} is down`);
    const running = attempt({ number: 3, tier: 'sonnet', model: sonnet, adapter: 'codex' });
    expect(resolveAttemptAdapter(of, running, 900)).toEqual({ kind: 'codex', timeout_s: 900 });
    expect(allowedModels(running, resolveAttemptAdapter(of, running), MODELS)).toEqual([
      sonnet,
      AGENT_CLI_MANIFESTS.codex.tiers.models.haiku,
    ]);
  });

  it('goes on with the task: what it does badly climbs among its own models', () => {
    const { sonnet, opus } = AGENT_CLI_MANIFESTS.codex.tiers.models;
    const failed = attempt({
      number: 3,
      tier: 'sonnet',
      model: sonnet,
      adapter: 'codex',
      report: report(),
      verdict: verdict({ verdict: 'fail' }),
    });
    const of = task({ status: 'in_review', attempts: [down(1), down(2), failed] });
    const decision = { ...decideNextCascadeAction(of, MODELS), at: FIXED_NOW.toISOString() };
    expect(decision).toMatchObject({ action: 'escalate', next_tier: 'opus', next_model: opus });
    const next = task({
      status: 'in_review',
      attempts: [down(1), down(2), { ...failed, outcome: 'failed', decision }],
    });
    expect(selectNextAttemptModel(next, MODELS)).toMatchObject({
      rung: { tier: 'opus', model: opus },
      adapter: 'codex',
    });
    // Another round begins with the deployment's own agent.
    expect(selectNextAttemptModel({ ...next, first_budgeted_attempt: 4 }, MODELS)).toMatchObject({
      adapter: null,
      rung: { tier: 'haiku' },
    });
  });
});
