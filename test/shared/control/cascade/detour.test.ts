import { describe, expect, it } from 'vitest';
import type { CliKind } from '../../../../shared/contract/agents/adapter.ts';
import { ADAPTER_FACTS } from '../../../../shared/contract/agents/adapter-facts.ts';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../../shared/contract/agents/tiers.ts';
import type { FailureClass } from '../../../../shared/contract/failure/failure-class.ts';
import type { SubmitTaskInput } from '../../../../shared/contract/submission/schema.ts';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import { decide } from '../../../../shared/control/cascade/decide.ts';
import { adapterOf, otherAgent } from '../../../../shared/control/cascade/detour.ts';
import { select } from '../../../../shared/control/cascade/select.ts';
import { allowedModels } from '../../../../shared/control/model-gateway/grant.ts';
import type { Agents } from '../../../../shared/control/task-commands/adapter-choice.ts';
import { attempt, NOW, report, task, verdict } from '../../../support/builders.ts';

const AGENTS: Agents = {
  fallback: { kind: 'claude', timeout_s: 900 },
  clis: ['claude', 'opencode', 'codex', 'gemini'],
  vendors: ['anthropic', 'openai', 'gemini'],
  tiers: MODELS,
};
const down = (number: number, adapter?: CliKind, failure_class: FailureClass = 'provider_overloaded') =>
  attempt({
    number,
    tier: 'sonnet',
    model: MODELS.sonnet,
    ...(adapter && { adapter }),
    outcome: 'infra_failed',
    report: report({ status: 'failed', failure_class }),
    decision: {
      action: 'retry',
      reason: failure_class,
      next_model: MODELS.sonnet,
      next_tier: 'sonnet',
      at: NOW.toISOString(),
    },
  });
const other = (attempts: Attempt[], request: Partial<SubmitTaskInput> = {}, agents = AGENTS) =>
  otherAgent(task({ status: 'in_review', attempts }, request), agents);

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
    ['what failed otherwise in between', [down(1), down(2, undefined, 'box_lost'), down(3)], {}, AGENTS],
    ['a task that names its agent', [down(1), down(2)], { adapter: { kind: 'claude' as const } }, AGENTS],
    ['a task that names a model', [down(1), down(2)], { model: 'claude-sonnet-5-5' }, AGENTS],
    ['a worker of its own', [down(1), down(2)], { runner: 'external' as const }, AGENTS],
    ['a machine of which nobody knows what it has', [down(1), down(2)], {}, { ...AGENTS, clis: null }],
    [
      'a deployment with one provider',
      [down(1), down(2)],
      {},
      { ...AGENTS, vendors: ['anthropic' as const] },
    ],
    [
      'an effort that the others lack',
      [down(1), down(2)],
      { effort: 'high' as const },
      { ...AGENTS, clis: ['claude' as const, 'gemini' as const] },
    ],
  ])('does not try for %s', (_what, attempts, request, agents) => {
    expect(other(attempts, request, agents)).toBeNull();
  });

  it('runs the same tier by its own models, says why, and may call those models only', () => {
    const of = task({ status: 'in_review', attempts: [down(1), down(2)] });
    const selected = select(of, MODELS, 'codex');
    const { sonnet } = ADAPTER_FACTS.codex.tiers.models;
    expect(selected).toMatchObject({ rung: { tier: 'sonnet', model: sonnet }, adapter: 'codex' });
    expect(selected.route.reason).toContain(`by codex, because the provider of ${MODELS.sonnet} is down`);
    const running = attempt({ number: 3, tier: 'sonnet', model: sonnet, adapter: 'codex' });
    expect(adapterOf(of, running, 900)).toEqual({ kind: 'codex', timeout_s: 900 });
    expect(allowedModels(running, adapterOf(of, running), MODELS)).toEqual([
      sonnet,
      ADAPTER_FACTS.codex.tiers.models.haiku,
    ]);
  });

  it('goes on with the task: what it does badly climbs among its own models', () => {
    const { sonnet, opus } = ADAPTER_FACTS.codex.tiers.models;
    const failed = attempt({
      number: 3,
      tier: 'sonnet',
      model: sonnet,
      adapter: 'codex',
      report: report(),
      verdict: verdict({ verdict: 'fail' }),
    });
    const of = task({ status: 'in_review', attempts: [down(1), down(2), failed] });
    const decision = { ...decide(of, MODELS), at: NOW.toISOString() };
    expect(decision).toMatchObject({ action: 'escalate', next_tier: 'opus', next_model: opus });
    const next = task({
      status: 'in_review',
      attempts: [down(1), down(2), { ...failed, outcome: 'failed', decision }],
    });
    expect(select(next, MODELS)).toMatchObject({ rung: { tier: 'opus', model: opus }, adapter: 'codex' });
    // Another round begins with the deployment's own agent.
    expect(select({ ...next, budget_from: 4 }, MODELS)).toMatchObject({
      adapter: null,
      rung: { tier: 'haiku' },
    });
  });
});
