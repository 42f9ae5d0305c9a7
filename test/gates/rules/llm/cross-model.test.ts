import { describe, expect, test } from 'vitest';
import { crossModelGate } from '../../../../gates/gates/cross-model.ts';
import type { JudgeModel, JudgeModels } from '../../../../shared/contract/models/judge-models.ts';
import { deriveVerdictFromEvidence } from '../../../../shared/control/verdict/reduce-to-verdict.ts';
import { evidence, gate } from '../../../support/builders.ts';
import { type FileEdits, runGate } from '../../../support/patch-fixture.ts';
import { createScriptedJudge } from '../../../support/scripted-judge.ts';

const BASE = { 'src/add.mjs': 'export const add = (a, b) => a - b;\n' };
const PATCH = { 'src/add.mjs': 'export const add = (a, b) => a + b;\n' };
const APPROVE = { feedback: 'fine', issues: [], verdict: 'approve', confidence: 0.9 };
const CHANGES = { ...APPROVE, verdict: 'request_changes' };

const model = (name: string): JudgeModel => ({ provider: 'bedrock', model: name });
const models = (...names: string[]): JudgeModels => ({ cross_model: names.map(model) });

async function review(
  answer: unknown,
  more: {
    settings?: Record<string, unknown>;
    patch?: FileEdits;
    writer?: string | null;
    models?: JudgeModels;
  } = {},
) {
  const { settings = {}, patch = PATCH, writer = 'claude-sonnet-5-5' } = more;
  const judge = answer === null ? null : createScriptedJudge(answer, more.models ?? models('gemini-flash'));
  const task = { id: 'add', title: 'Let add add', description: '', writer };
  const result = await runGate(crossModelGate, BASE, patch, {
    context: { judge, task },
    settings: { cross_model: settings },
  });
  return { result, asked: judge?.asked ?? [] };
}

describe('cross_model', () => {
  test.each([
    [APPROVE, {}, 'passed', []],
    [{ ...APPROVE, issues: ['a name'] }, {}, 'passed', ['review_remark']],
    [{ ...CHANGES, feedback: 'wrong' }, {}, 'failed', ['review_issue']],
    [{ ...CHANGES, issues: ['one', 'two'] }, {}, 'failed', ['review_issue', 'review_issue']],
    [{ ...CHANGES, issues: ['one'] }, { block_on_issues: false }, 'passed', ['review_issue']],
    // Less sure than the threshold: it has abstained, and nobody else has voted.
    [{ ...APPROVE, confidence: 0.2 }, {}, 'could_not_run', []],
  ])('with %j and %j has %s', async (answer, settings, outcome, rules) => {
    const { result } = await review(answer, { settings });
    expect(result.outcome).toBe(outcome);
    expect(result.kind).toBe('judged');
    expect(result.findings.map(({ rule }) => rule)).toEqual(rules);
  });

  test('tells the next attempt each issue', async () => {
    const { result } = await review({ ...CHANGES, issues: ['a.js: no null', 'b.js: leaks'] });
    expect(result.detail).toBe('request_changes: fine\n- a.js: no null\n- b.js: leaks');
  });

  test.each<[string, unknown, Parameters<typeof review>[1], string, string]>([
    ['no provider', null, {}, 'could_not_run', 'no model provider'],
    ['a provider that fails', new Error('429'), {}, 'infra_failed', '429'],
    ['an answer that is none', 'Looks good!', {}, 'could_not_run', 'cannot be read'],
    ['a writer that nobody knows', APPROVE, { writer: null }, 'could_not_run', 'which model wrote this'],
    [
      'a named reviewer of the family of the writer',
      APPROVE,
      { settings: { model: 'claude-haiku-4-5' }, models: models('claude-haiku-4-5') },
      'could_not_run',
      'same family',
    ],
    [
      'reviewers of the family of the writer only',
      APPROVE,
      { models: models('claude-haiku-4-5', 'us.anthropic.claude-opus-5') },
      'could_not_run',
      'same family',
    ],
    [
      'a reviewer that is not configured',
      APPROVE,
      { settings: { model: 'o3' } },
      'could_not_run',
      'not among those',
    ],
    [
      'fewer reviewers than are to be asked',
      APPROVE,
      { settings: { voting: { reviewers: 2 } } },
      'could_not_run',
      '2 reviewers are to be asked, and 1',
    ],
  ])('does not approve with %s', async (_, answer, more, outcome, detail) => {
    const { result } = await review(answer, more);
    expect(result.outcome).toBe(outcome);
    expect(result.detail).toContain(detail);
  });

  test('asks nobody of the family of the writer', async () => {
    const { asked } = await review(APPROVE, { models: models('claude-haiku-4-5', 'sonnet') });
    expect(asked).toEqual([]);
  });

  test.each([
    ['claude-sonnet-5-5', 'gemini-flash'],
    ['gemini-3-pro', 'claude-haiku-4-5'],
    ['gpt-5.5', 'gemini-flash'],
    ['codex-mini', 'claude-haiku-4-5'],
    ['qwen3-coder', 'claude-haiku-4-5'],
    ['mistral-large', 'gemini-flash'],
  ])('of what %s has written, asks %s', async (writer, reviewer) => {
    const { asked } = await review(APPROVE, {
      writer,
      models: models('gpt-5.5', 'claude-haiku-4-5', 'gemini-flash'),
    });
    expect(asked.map((each) => each.model)).toEqual([reviewer]);
  });

  test('asks several where the configuration says so, and counts their votes', async () => {
    const says: Record<string, unknown> = {
      'gemini-flash': { ...CHANGES, issues: ['one'] },
      'gpt-5.5': APPROVE,
      'qwen3-coder': new Error('down'),
    };
    const vote = (voting: object) =>
      review((name: string) => says[name], {
        models: models('qwen3-coder', 'gpt-5.5', 'gemini-flash'),
        settings: { voting: { reviewers: 3, ...voting } },
      });
    const { result, asked } = await vote({ quorum: 1 });
    expect(asked.map((each) => each.model)).toEqual(['gemini-flash', 'qwen3-coder', 'gpt-5.5']);
    expect(result).toMatchObject({
      outcome: 'passed',
      facts: {
        approvals: 1,
        rejections: 1,
        abstentions: 1,
        calls: 3,
        tool_version: 'gemini-flash, qwen3-coder, gpt-5.5',
      },
    });
    expect((await vote({ strategy: 'unanimous' })).result.outcome).toBe('failed');
    // The one that was not there might have made it two.
    expect((await vote({ quorum: 2 })).result.outcome).toBe('could_not_run');
    const tie = (await vote({ strategy: 'majority', tie_break: 'escalate' })).result;
    expect(tie).toMatchObject({ outcome: 'could_not_run', facts: { verdict: 'undecided' } });
  });

  test('shows whole files only, and names those that it leaves out', async () => {
    const { result, asked } = await review(APPROVE, {
      patch: { ...PATCH, 'big.txt': 'x\n'.repeat(9_000) },
    });
    const shown = asked[0]?.question.fencedText ?? '';
    expect(shown).toContain('+export const add');
    expect(shown).toContain('left out, because there is no room: big.txt');
    expect(shown.length).toBeLessThan(12_000);
    expect(asked[0]?.question.maxTokens).toBe(512);
    expect(result.findings).toEqual([expect.objectContaining({ rule: 'not_reviewed', file: 'big.txt' })]);
  });

  test('has nothing to say where nothing was changed', async () => {
    expect((await review(APPROVE, { patch: {} })).result.outcome).toBe('skipped');
  });

  test.each([
    ['hold', 'refer'],
    ['block', 'fail'],
    ['allow', 'pass'],
    [undefined, 'refer'],
  ] as const)('that could not judge makes with on_error %s a %s', async (on_error, verdict) => {
    const { result } = await review(new Error('down'), { settings: { on_error } });
    const { outcome, kind, findings, detail, onError } = result;
    const found = gate({
      name: 'cross_model',
      outcome,
      kind,
      findings: [...findings],
      detail,
      required: true,
    });
    const evidenceOf = evidence({ gates: [gate({}), onError ? { ...found, on_error: onError } : found] });
    expect(deriveVerdictFromEvidence(evidenceOf).verdict).toBe(verdict);
    // Where the gate is not required, its absence says nothing.
    const optional = { ...evidenceOf, gates: evidenceOf.gates.map((each) => ({ ...each, required: false })) };
    expect(deriveVerdictFromEvidence(optional).verdict).toBe('pass');
  });
});
