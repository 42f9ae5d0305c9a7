import { describe, expect, it } from 'vitest';
import { addDefaultReviews, JudgeModels } from '../../../../shared/contract/models/judge-models.ts';

const key = { via: 'environment', variable: 'KEY' } as const;
const CLAUDE = { provider: 'anthropic', model: 'claude-sonnet-5-5', key } as const;
const GPT = { provider: 'openai', model: 'gpt-6', key } as const;
const WRITERS = ['claude-haiku-4-5', 'claude-sonnet-5-5'];
const defaultsOf = (models: object, writers: readonly string[] = WRITERS) =>
  addDefaultReviews(JudgeModels.parse(models), writers);

describe('reviews that are on by default', () => {
  it('are none without a model', () => {
    expect(defaultsOf({})).toEqual({});
  });

  it('are the requirements review, and acceptance tests of another maker than the writers', () => {
    expect(defaultsOf({ judge: GPT })).toEqual({
      ...{ judge: GPT, requirements_review: GPT, examiner: GPT, adjudicator: GPT },
    });
    expect(defaultsOf({ judge: CLAUDE })).toEqual({ judge: CLAUDE, requirements_review: CLAUDE });
    expect(defaultsOf({ judge: CLAUDE }, [])).toMatchObject({ examiner: CLAUDE, adjudicator: CLAUDE });
  });

  it('take the model of another maker where several are configured, and keep what is named', () => {
    const named = { judge: CLAUDE, cross_model: [GPT], adjudicator: CLAUDE };
    expect(defaultsOf(named)).toMatchObject({
      ...{ requirements_review: CLAUDE, examiner: GPT, adjudicator: CLAUDE },
    });
  });

  it('take no setting of another purpose, and no challenger', () => {
    const challenger = { ...GPT, adapter: { kind: 'codex' }, challenge: { min_usd: 1 } };
    const added = defaultsOf({ challenger });
    expect(added.examiner).toEqual(GPT);
    expect(JudgeModels.safeParse(added).success).toBe(true);
    expect(defaultsOf({ judge: GPT }).challenger).toBeUndefined();
  });

  it('are off where the configuration says so', () => {
    expect(defaultsOf({ judge: GPT, defaults: 'off' })).toEqual({ judge: GPT, defaults: 'off' });
  });
});
