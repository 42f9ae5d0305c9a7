import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JudgeModel } from '../../../../shared/contract/models/judge-models.ts';
import { buildReviewerQuestion } from '../../../../shared/reviews/engine/engine.ts';
import { createQuestionRelay } from '../../../../shared/reviews/model-clients/relay-questions.ts';
import { getSignalReviewer } from '../../../../shared/reviews/reviewers/signal-reviewers.ts';
import { createTemporaryFolder } from '../../../support/git-repository.ts';

const MODEL = { provider: 'anthropic', model: 'none' } as unknown as JudgeModel;
const signal = { type: 'llm_review', instructions: 'Is it tested?', on_error: 'hold' } as const;
const questionAbout = (diff: string) =>
  buildReviewerQuestion(
    getSignalReviewer(signal),
    { signal },
    { pieces: [{ kind: 'diff', label: 'diff', text: diff }] },
  );

it('writes each question once, whatever its delimiters, and reads the answer by its digest', async () => {
  const folder = createTemporaryFolder();
  const relay = createQuestionRelay({ record: folder, answers: folder });
  for (const diff of ['+ a', '+ a', '+ b'])
    expect(await createQuestionRelay({ record: folder })(MODEL, questionAbout(diff))).toMatchObject({
      code: 'no_answer',
      outcome: 'could_not_run',
      calls: 0,
    });
  const recorded = readdirSync(folder);
  expect(recorded).toHaveLength(2);
  const about = recorded.find((name) => readFileSync(join(folder, name), 'utf8').includes('+ a')) ?? '';
  const answers = createTemporaryFolder();
  writeFileSync(join(answers, about.replace('.question', '')), 'Sure: {"reasons": ["r"], "answer": "yes"}');
  const answered = createQuestionRelay({ answers });
  expect(await answered(MODEL, questionAbout('+ a'))).toMatchObject({ value: { answer: 'yes' } });
  expect(await answered(MODEL, questionAbout('+ b'))).toMatchObject({ code: 'no_answer' });
  writeFileSync(join(answers, about.replace('.question', '')), '{"answer": "perhaps"}');
  expect(await answered(MODEL, questionAbout('+ a'))).toMatchObject({ code: 'unreadable_answer' });
  expect(await relay(MODEL, questionAbout('+ c'))).toMatchObject({ code: 'no_answer' });
});
