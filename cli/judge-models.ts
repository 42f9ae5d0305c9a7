import * as z from 'zod';
import type { Judge } from '../gates/core/judge.ts';
import { AgentModelServer } from '../shared/contract/agents/agent-model-server.ts';
import { addDefaultReviews, allJudgeModels, JudgeModels } from '../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES, MODEL_PROVIDER_ENV_NAMES } from '../shared/contract/resource-names.ts';
import { findChallengerAdapterProblems } from '../shared/control/model-gateway/challenger-adapter.ts';
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
  .object({ agents: z.unknown(), defaults: z.unknown() })
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

type ModelsFile = z.infer<typeof LooseFile>;

const readModelsFile = (file: string, io: CommandIo): ModelsFile =>
  readSettingsFile(file, LooseFile, REFUSAL, io);

type Problem = Pick<z.core.$ZodIssue, 'path' | 'message'>;

/** @throws CliError that names each field, if there are problems */
function refuseProblems(file: string, problems: readonly Problem[], ...under: readonly string[]): void {
  if (problems.length > 0)
    throw createInvalidSettingsError(
      file,
      REFUSAL,
      problems.map(({ path, message }) => `${[...under, ...path].join('.')}: ${message}`),
    );
}

/** @throws CliError that names each variable that has no key */
function requireKeys(file: string, variables: readonly string[], { env }: CommandIo): void {
  const missing = variables.filter((variable) => !env[variable]);
  if (missing.length > 0)
    throw createInvalidSettingsError(
      file,
      REFUSAL,
      missing.map((variable) => `the variable ${variable} is not set; it must have a key`),
    );
}

/** Parses the judges of a file, and the variables of their keys. @throws CliError, also if a variable is not set */
function parseJudges(
  { agents: _agents, defaults, ...settings }: ModelsFile,
  file: string,
  io: CommandIo,
): { readonly models: JudgeModels; readonly keys: readonly string[] } {
  const parsed = JudgeModels.safeParse({
    ...(defaults !== undefined && { defaults }),
    ...Object.fromEntries(
      Object.entries(settings).map(([purpose, model]) => [
        purpose,
        Array.isArray(model)
          ? model.map((each) => withDefaultApiKeyVariable(each, io.env))
          : withDefaultApiKeyVariable(model, io.env),
      ]),
    ),
  });
  refuseProblems(file, parsed.success ? findChallengerAdapterProblems(parsed.data) : parsed.error.issues);
  const models = parsed.data ?? {};
  const keys = allJudgeModels(models).flatMap((model) =>
    'key' in model && model.key?.via === 'environment' ? [model.key.variable] : [],
  );
  requireKeys(file, keys, io);
  return { models, keys: [...new Set(keys)] };
}

/** Parses the server of a file that answers agents; null: it has none. @throws CliError */
function parseAgentModelServer({ agents }: ModelsFile, file: string, io: CommandIo): AgentModelServer | null {
  if (agents === undefined) return null;
  const parsed = AgentModelServer.safeParse(agents);
  refuseProblems(file, parsed.error?.issues ?? [], 'agents');
  const server = parsed.data ?? null;
  requireKeys(file, server?.key ? [server.key.variable] : [], io);
  return server;
}

/** Returns the models of a file as environment of the embedded stack. */
export async function buildJudgeModelEnvironment(
  file: string,
  io: CommandIo,
): Promise<Record<string, string>> {
  const settings = readModelsFile(file, io);
  const { models, keys } = parseJudges(settings, file, io);
  const agents = parseAgentModelServer(settings, file, io);
  return {
    ...(agents && { [FUNCTION_ENV_NAMES.agentModelServer]: JSON.stringify(agents) }),
    // Who writes is not known: the engine asks no examiner of the writer's own maker.
    [FUNCTION_ENV_NAMES.judgeModels]: JSON.stringify(addDefaultReviews(models)),
    [FUNCTION_ENV_NAMES.judgeKeys]: keys.join(),
  };
}

/** Returns the models of a file as a judge for gates that run on this machine, with keys from its environment. */
export async function createLocalJudge(file: string, io: CommandIo): Promise<Judge> {
  const { models } = parseJudges(readModelsFile(file, io), file, io);
  const { createAskModel } = await import('../shared/reviews/model-clients/ask-model.ts');
  const readKey: ReadModelApiKey = async (key) =>
    key.via === 'environment' ? io.env[key.variable] || null : null;
  return { models, ask: createAskModel({ readKey }) };
}
