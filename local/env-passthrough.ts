import {
  EMBEDDED_FORGE_SECRET_VARIABLE,
  EMBEDDED_GIT_SECRET_VARIABLE,
  EMBEDDED_NOTIFY_SECRET_VARIABLE,
  FUNCTION_ENV_NAMES,
  MODEL_PROVIDER_ENV_NAMES,
} from '../shared/contract/resource-names.ts';
import { createPropertyReader } from './resource-properties.ts';

/**
 * Variables that functions get from the environment of this process. The key is a variable of the template: a
 * function that has it gets the variables of the value.
 */
export type FunctionEnvironmentPassthrough = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Returns the variables that are passed to a function with these variables of the template. */
export const selectPassedVariables = (
  variables: Readonly<Record<string, string>>,
  passthrough: FunctionEnvironmentPassthrough,
): Record<string, string> =>
  Object.assign(
    {},
    ...Object.entries(passthrough).map(([name, values]) => (name in variables ? values : {})),
  );

/**
 * Collects the secrets and settings that functions get from `environment`, and removes the secrets from it,
 * so that no process that this one starts inherits them. @throws Error that names the variable that is wrong,
 * and quotes nothing of its value.
 */
export const takeFunctionEnvironmentPassthrough = (
  environment: NodeJS.ProcessEnv,
): FunctionEnvironmentPassthrough => ({
  ...takeModelKeys(environment),
  ...takeGitSecret(environment),
  ...takeForgePassthrough(environment),
  ...takeNotifyPassthrough(environment),
  ...readSettings(environment),
});

/** Settings that apply from the next start and change nothing in the template. */
const SETTINGS = [FUNCTION_ENV_NAMES.cascadePolicy, FUNCTION_ENV_NAMES.defaultAdapter] as const;

const readSettings = (environment: NodeJS.ProcessEnv): FunctionEnvironmentPassthrough =>
  Object.fromEntries(
    SETTINGS.flatMap((name) => {
      const value = environment[name];
      return value ? [[name, { [name]: value }]] : [];
    }),
  );

/** The server that answers agents, as `assay up --models` has checked it (shared/contract/agents/agent-model-server.ts). */
interface CheckedAgentModelServer {
  readonly provider: string;
  readonly url: string;
  readonly plain_http?: boolean;
  readonly key?: { readonly via: string; readonly variable: string };
  readonly tiers: Readonly<Record<string, string>>;
  readonly prices: Readonly<Record<string, unknown>>;
}

/**
 * The keys of model providers, for the functions that call them. A function without any key refuses model
 * calls.
 */
function takeModelKeys(environment: NodeJS.ProcessEnv): FunctionEnvironmentPassthrough {
  const keys: Record<string, string> = {};
  const providers: Record<string, unknown> = {};
  for (const [name, { key, url }] of Object.entries(MODEL_PROVIDER_ENV_NAMES)) {
    const value = environment[key];
    const base = environment[url];
    delete environment[key];
    if (!value) continue;
    keys[key] = value;
    providers[name] = { via: 'environment', variable: key, ...(base && { url: base }) };
  }
  const server = environment[FUNCTION_ENV_NAMES.agentModelServer];
  const own: Record<string, Record<string, string>> = {};
  const prices: Record<string, string> = {};
  if (server) {
    const {
      provider,
      url,
      plain_http,
      key,
      tiers,
      prices: given,
    } = JSON.parse(server) as CheckedAgentModelServer;
    const address = { url, ...(plain_http && { plain_http }) };
    providers[provider] = key ? { ...key, ...address } : { via: 'none', ...address };
    const value = key && (keys[key.variable] ?? environment[key.variable]);
    if (key && value) {
      keys[key.variable] = value;
      delete environment[key.variable];
    }
    own[FUNCTION_ENV_NAMES.tierModels] = { [FUNCTION_ENV_NAMES.tierModels]: JSON.stringify(tiers) };
    prices[FUNCTION_ENV_NAMES.modelPrices] = JSON.stringify(given);
  }
  const judges: Record<string, string> = {
    [FUNCTION_ENV_NAMES.judgeModels]: environment[FUNCTION_ENV_NAMES.judgeModels] || '{}',
  };
  for (const variable of (environment[FUNCTION_ENV_NAMES.judgeKeys] ?? '').split(',').filter(Boolean)) {
    const value = keys[variable] ?? environment[variable];
    delete environment[variable];
    if (value) judges[variable] = value;
  }
  const vendors = {
    ...prices,
    [FUNCTION_ENV_NAMES.modelVendors]: JSON.stringify(Object.keys(providers)),
  };
  return {
    ...own,
    [FUNCTION_ENV_NAMES.modelProviders]: {
      ...keys,
      ...prices,
      [FUNCTION_ENV_NAMES.modelProviders]: JSON.stringify(providers),
    },
    [FUNCTION_ENV_NAMES.modelVendors]: vendors,
    [FUNCTION_ENV_NAMES.judgeModels]: judges,
    [FUNCTION_ENV_NAMES.knownJudgeModels]: {
      [FUNCTION_ENV_NAMES.knownJudgeModels]: judges[FUNCTION_ENV_NAMES.judgeModels] ?? '{}',
    },
  };
}

/** The secret for private repositories, for the function that mints tokens, and the URLs that it reaches. */
function takeGitSecret(environment: NodeJS.ProcessEnv): FunctionEnvironmentPassthrough {
  const secret = environment[EMBEDDED_GIT_SECRET_VARIABLE];
  delete environment[EMBEDDED_GIT_SECRET_VARIABLE];
  if (!secret) return {};
  return {
    [FUNCTION_ENV_NAMES.gitSecret]: {
      [EMBEDDED_GIT_SECRET_VARIABLE]: secret,
      [FUNCTION_ENV_NAMES.gitSecret]: JSON.stringify({
        via: 'environment',
        variable: EMBEDDED_GIT_SECRET_VARIABLE,
      }),
    },
    [FUNCTION_ENV_NAMES.readScopes]: { [FUNCTION_ENV_NAMES.readScopes]: JSON.stringify(urlsOf(secret)) },
  };
}

function urlsOf(secret: string): string[] {
  try {
    const entries = createPropertyReader(EMBEDDED_GIT_SECRET_VARIABLE, JSON.parse(secret)).records(
      'credentials',
    );
    return entries.map((entry) => entry.text('url'));
  } catch {
    throw new Error(
      `${EMBEDDED_GIT_SECRET_VARIABLE} must be JSON with a list "credentials", each with its url`,
    );
  }
}

/**
 * Returns a setting and its secret for the functions that have both. Neither has an effect without the other.
 * @throws Error if the setting is there without the secret
 */
function takeSettingWithSecret(
  environment: NodeJS.ProcessEnv,
  setting: string,
  secretSource: string,
  variable: string,
): FunctionEnvironmentPassthrough {
  const { [variable]: secret, [setting]: value } = environment;
  delete environment[variable];
  delete environment[setting];
  if (!value) return {};
  if (!secret) throw new Error(`${setting} goes with ${variable}: set both, or neither`);
  return {
    [setting]: { [setting]: value },
    [secretSource]: {
      [variable]: secret,
      [secretSource]: JSON.stringify({ via: 'environment', variable }),
    },
  };
}

/** The forges and their secret, for the two functions that call forges. */
export const takeForgePassthrough = (environment: NodeJS.ProcessEnv): FunctionEnvironmentPassthrough =>
  takeSettingWithSecret(
    environment,
    FUNCTION_ENV_NAMES.forges,
    FUNCTION_ENV_NAMES.forgeSecret,
    EMBEDDED_FORGE_SECRET_VARIABLE,
  );

/** The targets of notifications and their secret, for the function that sends them. */
export const takeNotifyPassthrough = (environment: NodeJS.ProcessEnv): FunctionEnvironmentPassthrough =>
  takeSettingWithSecret(
    environment,
    FUNCTION_ENV_NAMES.notify,
    FUNCTION_ENV_NAMES.notifySecret,
    EMBEDDED_NOTIFY_SECRET_VARIABLE,
  );
