import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { mintModelToken } from '../../../shared/contract/access/tokens.ts';
import {
  listGatesModelRoutes,
  routeModelsThroughGateway,
} from '../../../shared/contract/models/gates-models.ts';
import type { JudgeModel, JudgeModels } from '../../../shared/contract/models/judge-models.ts';
import type { Task } from '../../../shared/contract/task/task.ts';
import { TierPolicySettings } from '../../../shared/control/cascade/learning/cascade-policy.ts';
import { fenceUntrustedText } from '../../../shared/lib/fenced-prompt.ts';
import { sha256 } from '../../../shared/lib/sha256.ts';
import { JUDGE_PROMPTS } from '../../../shared/reviews/judging/prompts.ts';
import { createAskModel } from '../../../shared/reviews/model-clients/ask-model.ts';
import { attempt, task } from '../../support/builders.ts';
import { type ModelServer, startModelServer } from '../../support/models/model-server.ts';
import { NOW, running, startGateway, TOKEN } from './gateway.ts';

const KEY = 'sk-of-the-judges';
const OPINION = mintModelToken('T1', 1, 'gates');
let models: ModelServer;
beforeAll(async () => {
  process.env['JUDGES_KEY'] = KEY;
  models = await startModelServer({ answer: () => ({ reason: 'r', verdict: 'yes' }) });
});
afterAll(() => models.stop());
let started: Awaited<ReturnType<typeof startGateway>>[] = [];
afterEach(async () => {
  await Promise.all(started.map((each) => each.stop()));
  started = [];
});

const inReview = (): Task =>
  task({
    id: 'T1',
    status: 'in_review',
    attempts: [
      attempt({
        number: 1,
        outcome: null,
        verification: null,
        gates: {
          number: 1,
          token_sha256: '',
          model_token_sha256: sha256(OPINION),
          assignment_key: 'k',
          lost: false,
          launched_at: NOW.toISOString(),
        },
      }),
    ],
  });

async function gateway(judges: JudgeModels, of = inReview()) {
  const made = await startGateway({}, { task: of, opinions: listGatesModelRoutes(judges) });
  started.push(made);
  return made;
}

const Answer = z.strictObject({ reason: z.string(), verdict: z.enum(['yes', 'no']) });
function ask(url: string, judges: JudgeModels, token: string) {
  const shown = fenceUntrustedText([{ label: 'diff', text: '+ a' }]);
  const model = routeModelsThroughGateway(judges, url).intent;
  if (!model) throw new Error('no model');
  return createAskModel({ readKey: async () => token, pause: async () => {} })(model, {
    prompt: JUDGE_PROMPTS.intent_verification,
    fencedText: shown.text,
    boundary: shown.boundary,
    injections: shown.injections,
    answerSchema: Answer,
    maxTokens: 256,
    timeoutMs: 5_000,
  });
}

const key = { via: 'environment', variable: 'JUDGES_KEY' } as const;
const PROVIDERS: Readonly<Record<string, (url: string) => JudgeModel>> = {
  anthropic: (url) => ({ provider: 'anthropic', model: 'claude-haiku-4-5', key, url }),
  openai: (url) => ({ provider: 'openai', model: 'gpt-5.5', key, url: `${url}/v1` }),
  google: (url) => ({ provider: 'google', model: 'gemini-2.5-flash', key, url }),
  openrouter: (url) => ({ provider: 'openrouter', model: 'qwen/qwen3', key, url: `${url}/v1` }),
  openai_compatible: (url) => ({ provider: 'openai_compatible', model: 'own', url: `${url}/v1` }),
};

describe.each(Object.keys(PROVIDERS))('gates that ask %s through the gateway', (provider) => {
  const judges = (): JudgeModels => ({ intent: PROVIDERS[provider]?.(models.url) as JudgeModel });

  it('get their answer; the key is put in there, and their token goes no further', async () => {
    const at = await gateway(judges());
    expect(await ask(at.url, judges(), OPINION)).toMatchObject({ value: { verdict: 'yes' }, calls: 1 });
    const { headers } = models.calls.at(-1) ?? { headers: {} };
    expect(JSON.stringify(headers)).not.toContain('assay_opinion');
    if (provider !== 'openai_compatible') expect(JSON.stringify(headers)).toContain(KEY);
    expect(at.calls.at(-1)).toMatchObject({ task_id: 'T1', status: 200 });
  });

  it.each([
    ['of an agent', TOKEN],
    ['of nobody', 'sk-other'],
  ])('are turned away with the token %s, before anybody is asked', async (_, token) => {
    const before = models.calls.length;
    const at = await gateway(judges());
    expect(await ask(at.url, judges(), token)).toMatchObject({ outcome: 'could_not_run' });
    expect(models.calls.length).toBe(before);
  });
});

it('an agent reaches no model of the gates, and gates no model of the agent', async () => {
  const judges: JudgeModels = { intent: PROVIDERS['anthropic']?.(models.url) as JudgeModel };
  const other: JudgeModels = { intent: { ...judges.intent, model: 'claude-opus-5-5' } as JudgeModel };
  const before = models.calls.length;
  const ofGates = await gateway(judges);
  expect(await ask(ofGates.url, other, OPINION)).toMatchObject({
    outcome: 'could_not_run',
    why: expect.stringContaining('is not one of this attempt'),
  });
  // The agent's attempt may ask for this very model, and the deployment has no provider for agents.
  const ofAgent = await gateway(judges, running());
  expect(await ask(ofAgent.url, judges, TOKEN)).not.toHaveProperty('value');
  expect(models.calls.length).toBe(before);
});

it('a question for which there is no money is not asked, the alarm is told, and the gate hears which budget it is', async () => {
  const judges: JudgeModels = { intent: PROVIDERS['anthropic']?.(models.url) as JudgeModel };
  const raised: string[] = [];
  let stops = 0;
  const made = await startGateway(
    {},
    {
      task: inReview(),
      opinions: listGatesModelRoutes(judges),
      money: {
        policy: TierPolicySettings.parse({ budgets: { day_usd: 1 } }),
        spend: {
          increase: async ({ reservationId: mark, estimate: { highMicro } }) => {
            raised.push(mark);
            return raised.length > 1
              ? { refused: 'the budget of the day' }
              : { day: 'today', micro_usd: highMicro };
          },
        },
        onStop: () => stops++,
      },
    },
  );
  started.push(made);
  const before = models.calls.length;
  expect(await ask(made.url, judges, OPINION)).toMatchObject({ calls: 1, value: { verdict: 'yes' } });
  expect(await ask(made.url, judges, OPINION)).toMatchObject({
    outcome: 'could_not_run',
    why: expect.stringContaining('the budget of the day'),
  });
  expect([models.calls.length - before, stops, raised]).toEqual([1, 1, ['T1#1~gates', 'T1#1~gates']]);
  expect(made.meter.meter().openReservations, 'nothing is reserved for what was not asked').toEqual([]);
});
