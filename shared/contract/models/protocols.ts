/** The wire formats that the model gateway speaks. */
export const MODEL_API_PROTOCOLS = ['anthropic', 'responses', 'chat', 'gemini'] as const;
export type ModelApiProtocol = (typeof MODEL_API_PROTOCOLS)[number];

/** Who is asked: one key, one address each. */
export const PROVIDERS = ['anthropic', 'openai', 'gemini'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

export const PROVIDER_OF_PROTOCOL: Readonly<Record<ModelApiProtocol, ProviderName>> = {
  anthropic: 'anthropic',
  responses: 'openai',
  chat: 'openai',
  gemini: 'gemini',
};

/** What goes behind the gateway's own URL to make the base URL that the clients of each provider want. */
export const PROVIDER_BASE_PATHS: Readonly<Record<ProviderName, string>> = {
  anthropic: '',
  openai: '/v1',
  gemini: '',
};

/** A path that the gateway serves. */
export interface GatewayRoute {
  readonly protocol: ModelApiProtocol;
  /** Behind the provider's base URL. */
  readonly path: string;
  /** From the path; the other protocols name it in the body. */
  readonly model: string | null;
  /** Counting tokens costs nothing. */
  readonly isFree: boolean;
  /** Gemini says in the path whether the answer is to be streamed. */
  readonly streams: boolean | null;
}

const FIXED: Readonly<Record<string, Omit<GatewayRoute, 'model' | 'streams'>>> = {
  '/v1/messages': { protocol: 'anthropic', path: '/v1/messages', isFree: false },
  '/v1/messages/count_tokens': { protocol: 'anthropic', path: '/v1/messages/count_tokens', isFree: true },
  '/v1/responses': { protocol: 'responses', path: '/responses', isFree: false },
  '/v1/chat/completions': { protocol: 'chat', path: '/chat/completions', isFree: false },
};
const GEMINI =
  /^\/v1beta\/models\/([A-Za-z0-9][\w.-]{0,99}):(generateContent|streamGenerateContent|countTokens)$/;

/** The route of a path; null for one that is not served. */
export function gatewayRoute(path: string): GatewayRoute | null {
  const fixed = Object.hasOwn(FIXED, path) ? FIXED[path] : undefined;
  if (fixed) return { ...fixed, model: null, streams: null };
  const [, model, action] = GEMINI.exec(path) ?? [];
  if (model === undefined) return null;
  return {
    protocol: 'gemini',
    path,
    model,
    isFree: action === 'countTokens',
    streams: action === 'streamGenerateContent',
  };
}
