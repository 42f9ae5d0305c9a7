import * as z from 'zod';
import type { CheckOutcome } from '../../contract/check-outcome.ts';
import type { GateReviewer, GateReviewInput } from '../engine/reviewer.ts';
import { JUDGE_PROMPTS } from '../judging/prompts.ts';
import { GATE_REVIEWER_DEFAULTS } from './gate-review-defaults.ts';

const GeneratedTest = z.strictObject({ code: z.string().min(1).max(50_000) });

interface GeneratedTestInput extends GateReviewInput {
  /** Path of the test, and its form in words. */
  readonly file: string;
  readonly form: string;
}

/** The run of the generated test on the patch. */
export interface GeneratedTestRun {
  readonly code: string;
  readonly outcome: CheckOutcome;
  readonly detail: string;
}

/** Lets a model write an integration test; what decides is how it runs. */
export const GENERATED_TEST_REVIEWER = {
  ...GATE_REVIEWER_DEFAULTS,
  kind: 'integration_test_gen',
  purpose: 'test_writer',
  prompt: JUDGE_PROMPTS.integration_test_gen,
  answerSchema: () => GeneratedTest,
  maxTokens: 4_096,
  pieces: ({ file, form }) => [
    { kind: 'test_location', label: 'where the test goes', text: `${form}, which will lie at ${file}` },
  ],
  decide: ({ code, outcome, detail }, { file }) => ({
    outcome,
    findings:
      outcome === 'failed'
        ? [{ file, line: null, rule: 'generated_test_failed', message: code.slice(0, 4_000) }]
        : [],
    detail,
    facts: {},
  }),
} satisfies GateReviewer<typeof GeneratedTest, GeneratedTestInput, GeneratedTestRun>;
