import * as z from 'zod';
import { familyOf } from '../../shared/judging/family.ts';
import type { Gate, GateResult } from '../engine/gate.ts';
import { askAbout, NOTHING_TO_JUDGE } from '../rules/llm/ask.ts';
import { reviewerOf } from '../rules/llm/family.ts';

const Settings = z.strictObject({
  enabled: z.boolean().optional(),
  /** The reviewer; absent: a cheap model of another family than the writer's. */
  model: z.string().trim().min(1).max(200).optional(),
  block_on_issues: z.boolean().default(true),
});

const Answer = z.strictObject({
  verdict: z.enum(['approve', 'request_changes']),
  feedback: z.string().max(4_000).default(''),
  issues: z.array(z.string().max(1_000)).max(50).default([]),
});

const INSTRUCTION =
  'You review a change of code that another model has written. Look for mistakes, security problems, bugs, bad style, and changes that the task does not ask for. Answer as {"verdict": "approve" | "request_changes", "feedback": "<one or two sentences>", "issues": ["<one problem each>"]}.';

/** A review of the patch by a model of another family than the one that wrote it. */
export const crossModel: Gate = {
  name: 'cross_model',
  flag: 'cross_model.enabled',
  on: false,
  required: true,
  condition: 'any_changed',
  settings: { cross_model: Settings.optional() },
  judged: true,
  run: async (context, settings) => {
    const { model, block_on_issues } = Settings.parse(settings['cross_model'] ?? {});
    if (context.subject.changes.length === 0) return NOTHING_TO_JUDGE;
    const writer = context.task?.writer ?? null;
    if (writer === null)
      return inert('nobody here knows which model wrote this, so none is known to be another');
    const reviewer = model ?? reviewerOf(writer);
    if (familyOf(reviewer) === familyOf(writer))
      return inert(`${reviewer} is of the same family as ${writer}, which wrote this`);
    const asked = await askAbout(context, {
      instruction: INSTRUCTION,
      maxTokens: 512,
      temperature: 0,
      model: reviewer,
      diffCharacters: 12_000,
      answer: Answer,
    });
    if ('instead' in asked) return asked.instead;
    const { verdict, feedback, issues } = asked.answer;
    const approved = verdict === 'approve';
    return {
      outcome: approved || !block_on_issues ? 'passed' : 'failed',
      kind: 'judged',
      findings: (issues.length > 0 ? issues : approved ? [] : [feedback]).map((message) => ({
        file: null,
        line: null,
        rule: approved ? 'review_remark' : 'review_issue',
        message,
      })),
      detail: `${verdict}: ${feedback}`,
      metadata: { ...asked.metadata, verdict, writer },
    };
  },
};

const inert = (detail: string): GateResult => ({ outcome: 'inert', kind: 'judged', findings: [], detail });
