import { JudgeModel } from '../shared/contract/models/models.ts';
import { CliError, EXIT } from './exit.ts';
import type { Io } from './io.ts';
import { withUsualKey } from './judge-models.ts';

/** The variable of providers that have no usual one here. */
const OTHER_KEYS: Readonly<Record<string, string>> = { openrouter: 'OPENROUTER_API_KEY' };

const refused = (message: string): CliError =>
  new CliError(EXIT.usage, 'bad_model', message, {
    hint: 'For example `--model anthropic:claude-sonnet-5-5`; docs/judges.md lists the providers.',
  });

export interface NamedModel {
  /** `PROVIDER:MODEL` */
  readonly model: string;
  readonly url?: string | undefined;
  /** Dollars per million tokens, `INPUT,OUTPUT`. */
  readonly price?: string | undefined;
}

function priceOf(text: string): { input: number; output: number } {
  const [input, output, ...rest] = text.split(',').map(Number);
  if (input === undefined || output === undefined || rest.length > 0 || !(input >= 0 && output >= 0))
    throw refused(`--price must be INPUT,OUTPUT in dollars per million tokens, not ${text}.`);
  return { input, output };
}

/** The model that a command line names, with its key from the usual variable. */
export function namedModel({ model: text, url, price }: NamedModel, { env }: Pick<Io, 'env'>): JudgeModel {
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1) throw refused(`--model must be PROVIDER:MODEL, not ${text}.`);
  const provider = text.slice(0, colon);
  const variable = OTHER_KEYS[provider];
  const written = {
    provider,
    model: text.slice(colon + 1),
    ...(url === undefined ? {} : { url }),
    ...(price === undefined ? {} : { price: priceOf(price) }),
    ...(variable === undefined ? {} : { key: { via: 'environment', variable } }),
  };
  const parsed = JudgeModel.safeParse(withUsualKey(written, env));
  if (!parsed.success)
    throw refused(
      `--model ${text} cannot be asked: ${parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}.`,
    );
  const key = 'key' in parsed.data ? parsed.data.key : undefined;
  if (key?.via === 'environment' && !env[key.variable])
    throw refused(`The variable ${key.variable} is not set, and the key of ${provider} should be in it.`);
  return parsed.data;
}
