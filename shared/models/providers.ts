import * as z from 'zod';

const isLoopback = (url: URL): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);

/** Base URL as the provider's own clients want it. */
const Url = z
  .string()
  .refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (!url || url.username || url.password || url.search || url.hash) return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
  }, 'must be an https:// URL without credentials and query')
  .transform((text) => text.replace(/\/+$/, ''))
  .optional();

/** Who answers the calls for one vendor's models, and what they are signed with. */
export const Provider = z.discriminatedUnion('via', [
  z.strictObject({
    via: z.literal('bedrock'),
    /** Where the models are; the gateway's own region when it is not given. */
    region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region')
      .optional(),
    /** Both speak the vendors' own protocols. */
    endpoint: z.enum(['mantle', 'runtime']).default('mantle'),
    /** What Bedrock puts before a model's name. */
    model_prefix: z.string().max(50).optional(),
    url: Url,
  }),
  z.strictObject({
    via: z.literal('secret'),
    arn: z
      .string()
      .regex(
        /^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:.+-[A-Za-z0-9]{6}$/,
        'must be the complete ARN of a secret',
      ),
    url: Url,
  }),
  z.strictObject({
    via: z.literal('parameter'),
    name: z.string().regex(/^\/[\w./-]{1,1000}$/, 'must be the name of a parameter, with a slash before it'),
    url: Url,
  }),
  /** The embedded default: the stack has the key in its own environment and lends it to the gateway's thread. */
  z.strictObject({
    via: z.literal('environment'),
    variable: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
    url: Url,
  }),
]);
export type Provider = z.infer<typeof Provider>;

export const Providers = z.strictObject({
  anthropic: Provider.optional(),
  openai: Provider.optional(),
  gemini: Provider.optional(),
});
export type Providers = z.infer<typeof Providers>;

/** No key is needed: the gateway's role may call Bedrock. */
export const DEFAULT_PROVIDERS: Providers = { anthropic: { via: 'bedrock', endpoint: 'mantle' } };

/** Dollars that an attempt may spend when its task says nothing: a token that gets out buys no more. */
export const DEFAULT_MAX_ATTEMPT_USD = 25;
