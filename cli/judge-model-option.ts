import { JudgeModel } from '../shared/contract/models/judge-models.ts';
import { CLI_EXIT_CODES, CliError } from './exit.ts';
import type { CommandIo } from './io.ts';
import { withDefaultApiKeyVariable } from './judge-models.ts';

/** Variables of providers that `withDefaultApiKeyVariable` does not know. */
const OTHER_KEYS: Readonly<Record<string, string>> = { openrouter: 'OPENROUTER_API_KEY' };

const badModel = (message: string): CliError =>
  new CliError(CLI_EXIT_CODES.usage, 'bad_model', message, {
    hint: 'For example `--model anthropic:claude-sonnet-5-5`; docs/how-to/judges.md lists the providers.',
  });

export interface JudgeModelOptions {
  /** PROVIDER:MODEL */
  readonly model: string;
  readonly url?: string | undefined;
  /** INPUT,OUTPUT in dollars per million tokens. */
  readonly price?: string | undefined;
  /** False: no model is called, so the key may be missing. Default true. */
  readonly needsKey?: boolean;
}

function parsePrice(text: string): { input: number; output: number } {
  const [input, output, ...rest] = text.split(',').map(Number);
  if (input === undefined || output === undefined || rest.length > 0 || !(input >= 0 && output >= 0))
    throw badModel(`--price must be INPUT,OUTPUT in dollars per million tokens, not ${text}.`);
  return { input, output };
}

/** Returns the model of the options, with its key from the default variable of its provider. @throws CliError */
export function parseJudgeModelOptions(
  { model: text, url, price, needsKey = true }: JudgeModelOptions,
  { env }: Pick<CommandIo, 'env'>,
): JudgeModel {
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1) throw badModel(`--model must be PROVIDER:MODEL, not ${text}.`);
  const provider = text.slice(0, colon);
  const variable = OTHER_KEYS[provider];
  const settings = {
    provider,
    model: text.slice(colon + 1),
    ...(url === undefined ? {} : { url }),
    ...(price === undefined ? {} : { price: parsePrice(price) }),
    ...(variable === undefined ? {} : { key: { via: 'environment', variable } }),
  };
  const parsed = JudgeModel.safeParse(withDefaultApiKeyVariable(settings, env));
  if (!parsed.success)
    throw badModel(
      `--model ${text} is not valid: ${parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}.`,
    );
  const key = 'key' in parsed.data ? parsed.data.key : undefined;
  if (needsKey && key?.via === 'environment' && !env[key.variable])
    throw badModel(`${key.variable} is not set; it must have the key of ${provider}.`);
  return parsed.data;
}
