import type { MiddlewareName } from '../../../shared/contract/agents/middleware-names.ts';
import { REPOSITORY_CONFIG_FILE } from '../../../shared/contract/submission/toolchain-image.ts';
import type { AgentMiddlewareSettings } from '../../../shared/control/middleware/config-section.ts';
import { DEFAULT_MIDDLEWARE_SETTINGS } from '../../../shared/control/middleware/default-settings.ts';
import { CheckoutError } from '../../../workspace/git/checkout-error.ts';

/** What the base says of middleware. The parser is loaded only where there is something to parse. */
async function baseSettings(
  text: string | null,
): Promise<{ readonly agent: AgentMiddlewareSettings; readonly drift: boolean }> {
  if (!text || !/^(?:middleware|security)\b/m.test(text))
    return { agent: DEFAULT_MIDDLEWARE_SETTINGS, drift: false };
  const { describeFileProblem, parseYaml } = await import('../../../shared/lib/yaml.ts');
  const { MiddlewareConfigFile } = await import('../../../shared/control/middleware/config-section.ts');
  const parsed = parseYaml(text, REPOSITORY_CONFIG_FILE, MiddlewareConfigFile);
  if (!('value' in parsed))
    throw new CheckoutError('config_invalid', parsed.problems.map(describeFileProblem).join('; '));
  const { middleware, security } = parsed.value;
  return {
    agent: middleware?.agent ?? DEFAULT_MIDDLEWARE_SETTINGS,
    drift: security?.semantic_drift_enabled ?? false,
  };
}

/**
 * What is wrapped around the runs of an attempt: the chain of the task, else that of the base, else the usual one. Drift is looked for
 * where the base switches it on, whoever named the chain, unless that is empty.
 * @throws CheckoutError `config_invalid`, before anything is spent.
 */
export async function loadAgentMiddlewareSettings(
  text: string | null,
  ofTask: readonly MiddlewareName[] | undefined,
): Promise<AgentMiddlewareSettings> {
  const { agent, drift } = await baseSettings(text);
  const chain = ofTask ?? agent.chain;
  const adds = drift && chain.length > 0 && !chain.includes('semantic_drift_detector');
  return { ...agent, chain: adds ? [...chain, 'semantic_drift_detector'] : [...chain] };
}
