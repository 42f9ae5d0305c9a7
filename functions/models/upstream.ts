import type { Reached } from '../../shared/contract/models/box.ts';
import type { Route } from '../../shared/contract/models/protocols.ts';
import { PROVIDER_OF, type ProviderName } from '../../shared/contract/models/protocols.ts';
import type { Provider } from '../../shared/contract/models/providers.ts';
import { keyOf } from '../runtime/model-key.ts';
import { signed } from './sign.ts';

/** A request that is ready to be sent to a provider. */
export interface Upstream {
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const OWN_URLS: Readonly<Record<ProviderName, string>> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
  gemini: 'https://generativelanguage.googleapis.com',
};

/** Which header each vendor wants its key in. */
const KEY_HEADERS: Readonly<Record<ProviderName, (key: string) => Record<string, string>>> = {
  anthropic: (key) => ({ 'x-api-key': key }),
  openai: (key) => ({ authorization: `Bearer ${key}` }),
  gemini: (key) => ({ 'x-goog-api-key': key }),
};

type Bedrock = Extract<Provider, { via: 'bedrock' }>;

const bedrockHost = ({ endpoint }: Bedrock, region: string): string =>
  endpoint === 'mantle'
    ? `https://bedrock-mantle.${region}.api.aws`
    : `https://bedrock-runtime.${region}.amazonaws.com`;
/** Bedrock's endpoints speak Anthropic's protocol below one path and OpenAI's below another; Gemini's nowhere. */
const BEDROCK_PATHS: Readonly<Partial<Record<ProviderName, string>>> = {
  anthropic: '/anthropic',
  openai: '/openai/v1',
};
const BEDROCK_PREFIXES: Readonly<Partial<Record<ProviderName, string>>> = {
  anthropic: 'anthropic.',
  openai: 'openai.',
};
const BEDROCK_SERVICES = { mantle: 'bedrock-mantle', runtime: 'bedrock' } as const;

/** Fixed parts and what the route has checked; nothing of what the client sent gets into a host or a path unseen. */
const urlOf = (base: string, route: Route): URL => {
  const url = new URL(`${base}${route.path}`);
  if (route.streams) url.searchParams.set('alt', 'sse');
  return url;
};

/** Names the model as Bedrock does. */
const renamed = (body: Buffer, prefix: string): Buffer => {
  const fields = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  const model = String(fields['model']);
  return Buffer.from(
    JSON.stringify({ ...fields, model: model.startsWith(prefix) ? model : `${prefix}${model}` }),
  );
};

async function toBedrock(
  provider: Bedrock,
  route: Route,
  headers: Record<string, string>,
  body: Buffer,
): Promise<Upstream | null> {
  const name = PROVIDER_OF[route.protocol];
  const path = BEDROCK_PATHS[name];
  if (path === undefined) return null;
  const region = provider.region ?? process.env['AWS_REGION'] ?? 'us-east-1';
  const url = urlOf(provider.url ?? `${bedrockHost(provider, region)}${path}`, route);
  const sent = renamed(body, provider.model_prefix ?? BEDROCK_PREFIXES[name] ?? '');
  const where = { service: BEDROCK_SERVICES[provider.endpoint], region };
  return { url, headers: await signed(url, headers, sent, where), body: sent };
}

/** The request with what the provider wants to know us by. Null when the key is not there. */
export async function toUpstream(
  provider: Reached,
  route: Route,
  headers: Record<string, string>,
  body: Buffer,
): Promise<Upstream | null> {
  if (provider.via === 'none') return { url: urlOf(provider.url, route), headers, body };
  if (provider.via === 'bedrock') return toBedrock(provider, route, headers, body);
  const key = await keyOf(provider);
  if (key === null) return null;
  const name = PROVIDER_OF[route.protocol];
  return {
    url: urlOf(provider.url ?? OWN_URLS[name], route),
    headers: { ...headers, ...KEY_HEADERS[name](key) },
    body,
  };
}
