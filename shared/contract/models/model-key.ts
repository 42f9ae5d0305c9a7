import * as z from 'zod';

const isLoopback = (url: URL): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);

/** Base URL as the provider's own clients want it. */
export const ProviderUrl = z
  .string()
  .refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (!url || url.username || url.password || url.search || url.hash) return false;
    return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
  }, 'must be an https:// URL without credentials and query')
  .transform((text) => text.replace(/\/+$/, ''));

export const BedrockRegion = z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be a region');

export const SecretModelKey = z.strictObject({
  via: z.literal('secret'),
  arn: z
    .string()
    .regex(
      /^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:.+-[A-Za-z0-9]{6}$/,
      'must be the complete ARN of a secret',
    ),
});
export const ParameterModelKey = z.strictObject({
  via: z.literal('parameter'),
  name: z.string().regex(/^\/[\w./-]{1,1000}$/, 'must be the name of a parameter, with a slash before it'),
});
/** The embedded default: the stack has the key in its own environment and lends it to the thread of the function that needs it. */
export const EnvironmentModelKey = z.strictObject({
  via: z.literal('environment'),
  variable: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
});

/** Where the key of a provider is. It is read when it is needed, by the functions that call models alone. */
export const ModelApiKeySource = z.discriminatedUnion('via', [
  SecretModelKey,
  ParameterModelKey,
  EnvironmentModelKey,
]);
export type ModelApiKeySource = z.infer<typeof ModelApiKeySource>;
