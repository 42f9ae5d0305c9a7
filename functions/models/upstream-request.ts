import { buildBedrockModelId } from '../../shared/contract/models/bedrock-models.ts';
import type { GatewayModelEndpoint } from '../../shared/contract/models/gates-models.ts';
import {
  type GatewayRoute,
  PROVIDER_OF_PROTOCOL,
  type ProviderName,
} from '../../shared/contract/models/protocols.ts';
import { type BedrockProvider, buildBedrockRequest } from '../../shared/store/bedrock-request.ts';
import { readModelKey } from '../runtime/model-key.ts';

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

/** A request that is ready to be sent to a provider. */
export interface ModelProviderRequest {
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  /** Where Bedrock is asked, and for which model. */
  readonly bedrock?: { readonly region: string; readonly modelId: string };
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
  const vendor = PROVIDER_OF_PROTOCOL[route.protocol];
  if (provider?.via !== 'bedrock' || vendor === 'gemini') return Buffer.from(JSON.stringify(body));
  const model = buildBedrockModelId(vendor, String(body['model']), provider);
  return Buffer.from(JSON.stringify({ ...body, model }));
}

async function buildSignedRequest(
  provider: BedrockProvider,
  route: GatewayRoute,
  headers: Record<string, string>,
  body: Buffer,
): Promise<ModelProviderRequest | null> {
  const vendor = PROVIDER_OF_PROTOCOL[route.protocol];
  // Bedrock speaks Gemini's protocol nowhere.
  if (vendor === 'gemini') return null;
  const { region, modelId, ...request } = await buildBedrockRequest(
    provider,
    vendor,
    { path: route.path, headers, body },
    { region: process.env['AWS_REGION'] ?? 'us-east-1', credentials: await credentials() },
  );
  return { ...request, bedrock: { region, modelId } };
}

/** The request with what the provider wants to know us by. Null when the key is not there. */
export async function buildModelProviderRequest(
  provider: GatewayModelEndpoint,
  route: GatewayRoute,
  headers: Record<string, string>,
  body: Buffer,
): Promise<ModelProviderRequest | null> {
  if (provider.via === 'none') return { url: urlOf(provider.url, route), headers, body };
  if (provider.via === 'bedrock') return buildSignedRequest(provider, route, headers, body);
  const key = await readModelKey(provider);
  if (key === null) return null;
  const name = PROVIDER_OF_PROTOCOL[route.protocol];
  return {
    url: urlOf(provider.url ?? OWN_URLS[name], route),
    headers: { ...headers, ...KEY_HEADERS[name](key) },
    body,
  };
}
