import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { GatewayModelEndpoint } from '../../shared/contract/models/gates-models.ts';
import type { ModelProvider } from '../../shared/contract/models/model-providers.ts';
import {
  type GatewayRoute,
  PROVIDER_OF_PROTOCOL,
  type ProviderName,
} from '../../shared/contract/models/protocols.ts';
import { readModelKey } from '../runtime/model-key.ts';

/** SHA-256 as the signer wants it. */
class Sha256Hash {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', asBuffer(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(asBuffer(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('a hash is used once');
  }
}

const asBuffer = (data: string | ArrayBuffer | ArrayBufferView): Buffer => {
  if (typeof data === 'string') return Buffer.from(data);
  return data instanceof ArrayBuffer
    ? Buffer.from(data)
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
};

/** The role's credentials, which Lambda keeps fresh in the environment. */
async function credentials() {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
    throw new Error('there are no AWS credentials in the environment');
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
}

/** Headers of a POST, signed with the function's role. */
async function signRequest(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  where: { readonly service: string; readonly region: string },
): Promise<Record<string, string>> {
  const signer = new SignatureV4({ ...where, credentials, sha256: Sha256Hash });
  const request = await signer.sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port && { port: Number(url.port) }),
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    // What may be changed on the way is not signed.
    headers: { host: url.host, 'content-type': headers['content-type'] ?? 'application/json' },
    body,
  });
  const { host: _host, ...own } = request.headers;
  return { ...headers, ...own };
}

/** A request that is ready to be sent to a provider. */
export interface ModelProviderRequest {
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

type Bedrock = Extract<ModelProvider, { via: 'bedrock' }>;

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
const urlOf = (base: string, route: GatewayRoute): URL => {
  const url = new URL(`${base}${route.path}`);
  if (route.streams) url.searchParams.set('alt', 'sse');
  return url;
};

/** The bytes that are sent. Bedrock has names of its own for models. */
export function serialiseModelRequest(
  provider: GatewayModelEndpoint | undefined,
  route: GatewayRoute,
  body: Readonly<Record<string, unknown>>,
): Buffer {
  if (provider?.via !== 'bedrock') return Buffer.from(JSON.stringify(body));
  const prefix = provider.model_prefix ?? BEDROCK_PREFIXES[PROVIDER_OF_PROTOCOL[route.protocol]] ?? '';
  const model = String(body['model']);
  const name = model.startsWith(prefix) ? model : `${prefix}${model}`;
  return Buffer.from(JSON.stringify({ ...body, model: name }));
}

async function buildBedrockRequest(
  provider: Bedrock,
  route: GatewayRoute,
  headers: Record<string, string>,
  body: Buffer,
): Promise<ModelProviderRequest | null> {
  const name = PROVIDER_OF_PROTOCOL[route.protocol];
  const path = BEDROCK_PATHS[name];
  if (path === undefined) return null;
  const region = provider.region ?? process.env['AWS_REGION'] ?? 'us-east-1';
  const url = urlOf(provider.url ?? `${bedrockHost(provider, region)}${path}`, route);
  const where = { service: BEDROCK_SERVICES[provider.endpoint], region };
  return { url, headers: await signRequest(url, headers, body, where), body };
}

/** The request with what the provider wants to know us by. Null when the key is not there. */
export async function buildModelProviderRequest(
  provider: GatewayModelEndpoint,
  route: GatewayRoute,
  headers: Record<string, string>,
  body: Buffer,
): Promise<ModelProviderRequest | null> {
  if (provider.via === 'none') return { url: urlOf(provider.url, route), headers, body };
  if (provider.via === 'bedrock') return buildBedrockRequest(provider, route, headers, body);
  const key = await readModelKey(provider);
  if (key === null) return null;
  const name = PROVIDER_OF_PROTOCOL[route.protocol];
  return {
    url: urlOf(provider.url ?? OWN_URLS[name], route),
    headers: { ...headers, ...KEY_HEADERS[name](key) },
    body,
  };
}
