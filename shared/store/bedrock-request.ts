import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { buildBedrockModelId, selectBedrockBetas } from '../contract/models/bedrock-models.ts';
import type { ModelProvider } from '../contract/models/model-providers.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

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

/** Returns the headers of a POST, signed with SigV4. */
async function signRequest(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  where: { readonly service: string; readonly region: string },
  credentials: AwsCredentials,
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

export type BedrockProvider = Extract<ModelProvider, { via: 'bedrock' }>;
export type BedrockVendor = 'anthropic' | 'openai';

const dnsSuffixOf = (region: string): string =>
  region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';

const hostOf = ({ endpoint }: BedrockProvider, region: string): string =>
  endpoint === 'mantle'
    ? `https://bedrock-mantle.${region}.api.aws`
    : `https://bedrock-runtime.${region}.${dnsSuffixOf(region)}`;

/** Bedrock's endpoints speak Anthropic's protocol below one path and OpenAI's below another. */
const PATHS: Readonly<Record<BedrockVendor, string>> = { anthropic: '/anthropic', openai: '/openai/v1' };
const SERVICES = { mantle: 'bedrock-mantle', runtime: 'bedrock' } as const;

/** A request to Bedrock that is ready to be sent. */
export interface BedrockRequest {
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  readonly region: string;
  /** As Bedrock knows it. */
  readonly modelId: string;
}

/** @param path below the path of the protocol, `/v1/messages` @param region where the caller runs */
export async function buildBedrockRequest(
  provider: BedrockProvider,
  vendor: BedrockVendor,
  call: {
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Buffer;
  },
  from: { readonly region: string; readonly credentials: AwsCredentials },
): Promise<BedrockRequest> {
  const region = provider.region ?? from.region;
  const url = new URL(`${provider.url ?? `${hostOf(provider, region)}${PATHS[vendor]}`}${call.path}`);
  const fields = JSON.parse(call.body.toString('utf8')) as Record<string, unknown>;
  const modelId = buildBedrockModelId(vendor, String(fields['model']), provider);
  const body = Buffer.from(JSON.stringify({ ...fields, model: modelId }));
  const { 'anthropic-beta': asked, ...others } = call.headers;
  const betas = asked === undefined ? null : selectBedrockBetas(asked);
  const headers = { ...others, ...(betas !== null && { 'anthropic-beta': betas }) };
  const where = { service: SERVICES[provider.endpoint], region };
  return {
    url,
    headers: await signRequest(url, headers, body, where, from.credentials),
    body,
    region,
    modelId,
  };
}
