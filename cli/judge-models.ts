import * as z from 'zod';
import type { Judge } from '../gates/core/judge.ts';
import { allModels, JudgeModels } from '../shared/contract/models/models.ts';
import { ENV, MODEL_KEYS } from '../shared/contract/names.ts';
import type { ReadKey } from '../shared/reviews/model-clients/model-of.ts';
import type { Io } from './io.ts';
import { readSettingsFile, refusedFile } from './settings-file.ts';

/** Where a laptop has the key of a provider, when the file does not say. */
const USUAL = {
  anthropic: MODEL_KEYS.anthropic,
  openai: MODEL_KEYS.openai,
  google: MODEL_KEYS.gemini,
} as const;

const LooseModel = z.looseObject({ provider: z.string() });
const Loose = z.record(z.string(), z.union([z.array(LooseModel), LooseModel]));

/** The model with its key from the usual variable, where it names none. */
export function withUsualKey(model: z.infer<typeof LooseModel>, environment: NodeJS.ProcessEnv): unknown {
  const usual = USUAL[model.provider as keyof typeof USUAL];
  if (!usual || model['key'] !== undefined) return model;
  const url = model['url'] ?? environment[usual.url];
  return {
    ...model,
    key: { via: 'environment', variable: usual.key },
    ...(url === undefined ? {} : { url }),
  };
}

const REFUSED = {
  code: 'bad_models',
  message: 'does not say which models judge.',
  hint: 'For example `judge: { provider: anthropic, model: claude-sonnet-5-5 }`; docs/judges.md has all of it.',
};

/** What FILE says of models, and the variables that hold their keys, all of which are set. */
async function readJudges(
  file: string,
  io: Io,
): Promise<{ readonly models: JudgeModels; readonly keys: readonly string[] }> {
  const written = readSettingsFile(file, Loose, REFUSED, io);
  const parsed = JudgeModels.safeParse(
    Object.fromEntries(
      Object.entries(written).map(([purpose, model]) => [
        purpose,
        Array.isArray(model) ? model.map((each) => withUsualKey(each, io.env)) : withUsualKey(model, io.env),
      ]),
    ),
  );
  if (!parsed.success)
    throw refusedFile(
      file,
      REFUSED,
      parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
    );
  const keys = allModels(parsed.data).flatMap((model) =>
    'key' in model && model.key?.via === 'environment' ? [model.key.variable] : [],
  );
  const missing = keys.filter((variable) => !io.env[variable]);
  if (missing.length > 0)
    throw refusedFile(
      file,
      REFUSED,
      missing.map((variable) => `the variable ${variable} is not set, and a key should be in it`),
    );
  return { models: parsed.data, keys: [...new Set(keys)] };
}

/** The models of FILE, as the embedded stack takes them in its environment. */
export async function judgeEnvironment(file: string, io: Io): Promise<Record<string, string>> {
  const { models, keys } = await readJudges(file, io);
  return { [ENV.judgeModels]: JSON.stringify(models), [ENV.judgeKeys]: keys.join() };
}

/** The models of FILE, with keys from this machine's environment, for gates that run here. */
export async function judgeHere(file: string, io: Io): Promise<Judge> {
  const { models } = await readJudges(file, io);
  const { askModel } = await import('../shared/reviews/model-clients/ask.ts');
  const readKey: ReadKey = async (key) => (key.via === 'environment' ? io.env[key.variable] || null : null);
  return { models, ask: askModel({ readKey }) };
}
