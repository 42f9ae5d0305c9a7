import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CliError } from '../../cli/exit.ts';
import type { CommandIo } from '../../cli/io.ts';
import { buildJudgeModelEnvironment } from '../../cli/judge-models.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';

const cwd = mkdtempSync(join(tmpdir(), 'assay-judges-'));
afterAll(() => rmSync(cwd, { recursive: true }));
const read = (text: string, env: Record<string, string> = {}) => {
  writeFileSync(join(cwd, 'judges.yaml'), text);
  return buildJudgeModelEnvironment('judges.yaml', { cwd, env } as unknown as CommandIo);
};
const refusal = async (text: string, env: Record<string, string> = {}) => {
  const error = await read(text, env).catch((each: unknown) => each);
  if (!(error instanceof CliError)) throw new Error('was taken');
  return (error.details ?? []).map(({ message }) => message).join(' | ');
};

describe('models that judge, on a laptop', () => {
  it('have their key in the usual variable, and their server where that says', async () => {
    const told = await read('judge: { provider: anthropic, model: claude-sonnet-5-5 }', {
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
    });
    const model = {
      provider: 'anthropic',
      model: 'claude-sonnet-5-5',
      key: { via: 'environment', variable: 'ANTHROPIC_API_KEY' },
      url: 'http://127.0.0.1:1',
    };
    expect(JSON.parse(told[FUNCTION_ENV_NAMES.judgeModels] ?? '')).toEqual({
      ...{ judge: model, requirements_review: model, examiner: model, adjudicator: model },
    });
    expect(told[FUNCTION_ENV_NAMES.judgeKeys]).toBe('ANTHROPIC_API_KEY');
    expect(JSON.stringify(told)).not.toContain('"k"');
  });

  it('review nothing that the file does not name where it says so', async () => {
    const told = await read('{ judge: { provider: bedrock, model: m }, defaults: off }');
    expect(JSON.parse(told[FUNCTION_ENV_NAMES.judgeModels] ?? '')).toEqual({
      ...{ judge: { provider: 'bedrock', model: 'm' }, defaults: 'off' },
    });
  });

  it('may share settings by YAML anchors, but not without an end', async () => {
    const shared = 'judge: &own { provider: openai_compatible, model: own, url: "http://127.0.0.1:9" }\n';
    const told = await read(`${shared}red_team: *own\nadjudicator: { <<: *own, model: other }`);
    expect(JSON.parse(told[FUNCTION_ENV_NAMES.judgeModels] ?? '')).toMatchObject({
      red_team: { model: 'own' },
      adjudicator: { provider: 'openai_compatible', model: 'other', url: 'http://127.0.0.1:9' },
    });
    const bomb = Array.from({ length: 20 }, (_, at) => `a${at + 1}: &b${at + 1} [*b${at}, *b${at}, *b${at}]`);
    expect(await refusal(`a0: &b0 [x]\n${bomb.join('\n')}`)).toContain('aliases that expand too far');
  });

  it('may need no key, or one in a variable of their own', async () => {
    const own = 'judge: { provider: openai_compatible, model: own, url: "http://127.0.0.1:9" }';
    expect((await read(own))[FUNCTION_ENV_NAMES.judgeKeys]).toBe('');
    const theirs = 'judge: { provider: openrouter, model: q, key: { via: environment, variable: MINE } }';
    expect((await read(theirs, { MINE: 'x' }))[FUNCTION_ENV_NAMES.judgeKeys]).toBe('MINE');
  });

  it.each([
    ['a key that is not there', 'judge: { provider: openai, model: m }', 'OPENAI_API_KEY is not set'],
    [
      'a purpose that there is not',
      'jugde: { provider: bedrock, model: m }',
      'jugde is not served; known: requirements_review, judge, ',
    ],
    [
      'a purpose that nothing asks for yet',
      'hearing: { provider: bedrock, model: m }',
      'hearing is not served',
    ],
    [
      'a challenger in an agent CLI that there is not',
      'challenger: { provider: bedrock, model: anthropic.claude-sonnet-4, adapter: { kind: nano } }',
      'challenger.adapter.kind: ',
    ],
    ['a provider that there is not', 'judge: { provider: nobody, model: m }', 'judge.provider'],
    ['a model without a name', 'judge: { provider: bedrock }', 'judge.model'],
    ['no YAML', 'judge: [', 'line 1'],
    ['a text', 'judge', 'the file'],
  ])('are refused for %s, by the name of the field', async (_name, text, message) => {
    expect(await refusal(text)).toContain(message);
  });

  it('are refused for a file that is not there', async () => {
    await expect(
      buildJudgeModelEnvironment('none.yaml', { cwd, env: {} } as unknown as CommandIo),
    ).rejects.toBeInstanceOf(CliError);
  });
});
