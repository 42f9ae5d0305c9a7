import { afterAll, beforeAll } from 'vitest';
import type { Judge } from '../../gates/core/judge.ts';
import type { JudgeModel, JudgeModels } from '../../shared/contract/models/judge-models.ts';
import type { ReviewerModelQuestion } from '../../shared/reviews/engine/ask-model-port.ts';
import { createAskModel } from '../../shared/reviews/model-clients/ask-model.ts';
import { type ModelServer, startModelServer } from './models/model-server.ts';

const model = (name: string): JudgeModel => ({
  provider: 'anthropic',
  model: name,
  key: { via: 'environment', variable: 'KEY' },
});

/** One model for each purpose of the gates. */
const STAND_IN: JudgeModels = {
  intent: model('stand-in'),
  rubric: model('stand-in'),
  test_writer: model('stand-in'),
  cross_model: [model('mistral-stand-in')],
};

/** A judge that gives the same answer to every question, or fails, and remembers what it was asked. */
export function createScriptedJudge(
  answer: unknown,
  models: JudgeModels = STAND_IN,
): Judge & { readonly asked: { readonly model: string; readonly question: ReviewerModelQuestion<never> }[] } {
  const asked: { model: string; question: ReviewerModelQuestion<never> }[] = [];
  return {
    models,
    asked,
    ask: async ({ model: name }, question) => {
      asked.push({ model: name, question: question as never });
      const spent = { calls: 1, tokens: { input: 10, output: 1 }, ms: 1 };
      const said = typeof answer === 'function' ? (answer(name) as unknown) : answer;
      if (said instanceof Error)
        return { ...spent, code: 'no_answer', outcome: 'infra_failed', why: said.message };
      const parsed = question.answerSchema.safeParse(said);
      return parsed.success
        ? { ...spent, value: parsed.data }
        : { ...spent, code: 'unreadable_answer', outcome: 'could_not_run', why: 'the answer cannot be read' };
    },
  };
}

/** A model behind a server that speaks a vendor's protocol, for the tests of one file. */
export function startServedModel() {
  let server: ModelServer;
  let said: (conversation: string) => unknown = () => undefined;
  beforeAll(async () => {
    server = await startModelServer({ answer: ({ conversation }) => said(conversation) });
  });
  afterAll(() => server.stop());
  return {
    /** What it says to whatever is asked, or makes of what it hears. */
    says(answer: unknown): void {
      said = typeof answer === 'function' ? (answer as typeof said) : () => answer;
    },
    get server(): ModelServer {
      return server;
    },
    judge: (): Judge => {
      const served = (name: string): JudgeModel => ({ ...model(name), url: server.url }) as JudgeModel;
      return {
        models: {
          intent: served('claude-haiku-4-5'),
          rubric: served('claude-haiku-4-5'),
          test_writer: served('claude-haiku-4-5'),
          cross_model: [served('claude-haiku-4-5')],
        },
        ask: createAskModel({ readKey: async () => 'k', pause: async () => {} }),
      };
    },
  };
}
