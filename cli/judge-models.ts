import * as z from 'zod';
import type { Judge } from '../gates/core/judge.ts';
import { AgentModelServer } from '../shared/contract/agents/agent-model-server.ts';
import { allJudgeModels, JudgeModels } from '../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES, MODEL_PROVIDER_ENV_NAMES } from '../shared/contract/resource-names.ts';
import type { ReadModelApiKey } from '../shared/reviews/model-clients/language-model.ts';
import type { CommandIo } from './io.ts';
import { createInvalidSettingsError, readSettingsFile } from './settings-file.ts';

/** Default variables of the key and the address of a provider. */
const DEFAULT_KEYS = {
  anthropic: MODEL_PROVIDER_ENV_NAMES.anthropic,
  openai: MODEL_PROVIDER_ENV_NAMES.openai,
  google: MODEL_PROVIDER_ENV_NAMES.gemini,
} as const;

const LooseModel = z.looseObject({ provider: z.string() });
/** The judges by purpose; `agents` is the server that answers agents. */
const LooseFile = z
  .object({ agents: z.unknown() })
  .partial()
  .catchall(z.union([z.array(LooseModel), LooseModel]));

/** Returns the model with the default variable of its provider, if it names no key. */
export function withDefaultApiKeyVariable(
  model: z.infer<typeof LooseModel>,
  environment: NodeJS.ProcessEnv,
): unknown {
  const defaults = DEFAULT_KEYS[model.provider as keyof typeof DEFAULT_KEYS];
  if (!defaults || model['key'] !== undefined) return model;
  const url = model['url'] ?? environment[defaults.url];
  return {
    ...model,
    key: { via: 'environment', variable: defaults.key },
    ...(url === undefined ? {} : { url }),
  };
}

const REFUSAL = {
  code: 'bad_models',
  message: 'does not name the judge models.',
  hint: 'For example `judge: { provider: anthropic, model: claude-sonnet-5-5 }`; docs/how-to/judges.md describes the format.',
};

/** Reads the models of a file, and the variables of their keys. @throws CliError, also if a variable is not set */
async function readJudges(
  file: string,
  io: CommandIo,
): Promise<{ readonly models: JudgeModels; readonly keys: readonly string[] }> {
  const { agents: _agents, ...settings } = readSettingsFile(file, LooseFile, REFUSAL, io);
  const parsed = JudgeModels.safeParse(
    Object.fromEntries(
      Object.entries(settings).map(([purpose, model]) => [
        purpose,
        Array.isArray(model)
          ? model.map((each) => withDefaultApiKeyVariable(each, io.env))
          : withDefaultApiKeyVariable(model, io.env),
      ]),
    ),
  );
  if (!parsed.success)
    throw createInvalidSettingsError(
      file,
      REFUSAL,
      parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
    );
  const keys = allJudgeModels(parsed.data).flatMap((model) =>
    'key' in model && model.key?.via === 'environment' ? [model.key.variable] : [],
  );
  const missing = keys.filter((variable) => !io.env[variable]);
  if (missing.length > 0)
    throw createInvalidSettingsError(
      file,
      REFUSAL,
      missing.map((variable) => `the variable ${variable} is not set; it must have a key`),
    );
  return { models: parsed.data, keys: [...new Set(keys)] };
}

/** Returns the server of a file that answers agents, or null. @throws CliError */
function readAgentModelServer(file: string, io: CommandIo): AgentModelServer | null {
  const { agents } = readSettingsFile(file, LooseFile, REFUSAL, io);
  if (agents === undefined) return null;
  const parsed = AgentModelServer.safeParse(agents);
  if (!parsed.success)
    throw createInvalidSettingsError(
      file,
      REFUSAL,
      parsed.error.issues.map(({ path, message }) => `agents.${path.join('.')}: ${message}`),
    );
  const variable = parsed.data.key?.variable;
  if (variable !== undefined && !io.env[variable])
    throw createInvalidSettingsError(file, REFUSAL, [
      `the variable ${variable} is not set; it must have a key`,
    ]);
  return parsed.data;
}

/** Returns the models of a file as environment of the embedded stack. */
export async function buildJudgeModelEnvironment(
  file: string,
  io: CommandIo,
): Promise<Record<string, string>> {
  const { models, keys } = await readJudges(file, io);
  const agents = readAgentModelServer(file, io);
  return {
    ...(agents && { [FUNCTION_ENV_NAMES.agentModelServer]: JSON.stringify(agents) }),
    [FUNCTION_ENV_NAMES.judgeModels]: JSON.stringify(models),
    [FUNCTION_ENV_NAMES.judgeKeys]: keys.join(),
  };
}

/** Returns the models of a file as a judge for gates that run on this machine, with keys from its environment. */
export async function createLocalJudge(file: string, io: CommandIo): Promise<Judge> {
  const { models } = await readJudges(file, io);
  const { createAskModel } = await import('../shared/reviews/model-clients/ask-model.ts');
  const readKey: ReadModelApiKey = async (key) =>
    key.via === 'environment' ? io.env[key.variable] || null : null;
  return { models, ask: createAskModel({ readKey }) };
}
