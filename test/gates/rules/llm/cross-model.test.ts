import { describe, expect, test } from 'vitest';
import { crossModel } from '../../../../gates/gates/cross-model.ts';
import { reviewerOf } from '../../../../gates/rules/llm/family.ts';
import { familyOf } from '../../../../shared/judging/family.ts';
import { scriptedJudge } from '../../../support/judge.ts';
import { type Edits, runGate } from '../../../support/patch.ts';

const BASE = { 'src/add.mjs': 'export const add = (a, b) => a - b;\n' };
const PATCH = { 'src/add.mjs': 'export const add = (a, b) => a + b;\n' };

async function review(
  answer: unknown,
  more: { settings?: Record<string, unknown>; patch?: Edits; writer?: string | null } = {},
) {
  const { settings = {}, patch = PATCH, writer = 'claude-sonnet-5-5' } = more;
  const judge = answer === null ? null : scriptedJudge(answer);
  const task = { id: 'add', title: 'Let add add', description: '', writer };
  const result = await runGate(crossModel, BASE, patch, {
    context: { judge, task },
    settings: { cross_model: settings },
  });
  return { result, asked: judge?.asked ?? [] };
}

describe('cross_model', () => {
  test.each([
    [{ verdict: 'approve' }, {}, 'passed', []],
    [{ verdict: 'approve', issues: ['a name'] }, {}, 'passed', ['review_remark']],
    [{ verdict: 'request_changes', feedback: 'wrong' }, {}, 'failed', ['review_issue']],
    [{ verdict: 'request_changes', issues: ['one', 'two'] }, {}, 'failed', ['review_issue', 'review_issue']],
    [{ verdict: 'request_changes', issues: ['one'] }, { block_on_issues: false }, 'passed', ['review_issue']],
  ])('with %j and %j has %s', async (answer, settings, outcome, rules) => {
    const { result } = await review(answer, { settings });
    expect(result.outcome).toBe(outcome);
    expect(result.kind).toBe('judged');
    expect(result.findings.map(({ rule }) => rule)).toEqual(rules);
  });

  test.each<[string, unknown, Parameters<typeof review>[1], string]>([
    ['no provider', null, {}, 'no model provider'],
    ['a provider that fails', new Error('429'), {}, '429'],
    ['an answer that is none', 'Looks good!', {}, 'cannot be read'],
    ['a writer that nobody knows', { verdict: 'approve' }, { writer: null }, 'which model wrote this'],
    [
      'a reviewer of the family of the writer',
      { verdict: 'approve' },
      { settings: { model: 'anthropic/claude-haiku-4-5' } },
      'same family',
    ],
  ])('is inert with %s: it never approves', async (_, answer, more, detail) => {
    const { result } = await review(answer, more);
    expect(result.outcome).toBe('inert');
    expect(result.detail).toContain(detail);
  });

  test('asks nobody of the family of the writer', async () => {
    const { asked } = await review({ verdict: 'approve' }, { settings: { model: 'opus' } });
    expect(asked).toEqual([]);
  });

  test('asks a cheap model of another family, or the one that is named', async () => {
    const named = await review({ verdict: 'approve' }, { settings: { model: 'mistral-large' } });
    expect(named.asked[0]?.model).toBe('mistral-large');
    expect((await review({ verdict: 'approve' })).asked[0]?.model).toBe(reviewerOf('claude-sonnet-5-5'));
  });

  test('has nothing to say where nothing was changed', async () => {
    expect((await review({ verdict: 'approve' }, { patch: {} })).result.outcome).toBe('skipped');
  });
});

test.each([
  ['claude-opus-5-5', 'anthropic'],
  ['sonnet', 'anthropic'],
  ['google/gemini-flash-1.5', 'google'],
  ['gpt-5-codex', 'openai'],
  ['o3', 'openai'],
  ['o4-mini', 'openai'],
  ['qwen3-coder', 'alibaba'],
  ['mistral-large', 'mistral'],
  ['meta/llama-4', 'meta'],
  ['', ''],
])('the model "%s" is of the family "%s", and its reviewer is not', (model, family) => {
  expect(familyOf(model)).toBe(family);
  expect(familyOf(reviewerOf(model))).not.toBe(family);
});
