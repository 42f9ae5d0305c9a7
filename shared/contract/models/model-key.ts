import * as z from 'zod';

const isLoopback = (host: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(host);

/** Private addresses, and names that no public DNS has: one label, or below a domain for private use. */
const PRIVATE_HOST =
  /^(?:10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|\[f[cd][0-9a-f:]+\]|[a-z0-9-]+|[a-z0-9.-]+\.(?:internal|local|lan|home\.arpa|cluster\.local))$/;

const parseUrl = (text: string): URL | null => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return !url || url.username || url.password || url.search || url.hash ? null : url;
};

/** Base URL as the provider's own clients want it; see {@link refinePlainHttp} for http. */
export const ProviderUrl = z
  .string()
  .refine((text) => /^https?:$/.test(parseUrl(text)?.protocol ?? ''), {
    error: 'must be an https:// URL without credentials and query',
  })
  .transform((text) => text.replace(/\/+$/, ''));

/** Goes with a `url`: without it, http is for this machine only. */
export const PlainHttp = z
  .boolean()
  .optional()
  .describe('Allows http:// in `url` for a host of a private network: prompts and keys travel unencrypted.');

/** Adds an issue to an object whose `url` is http where that is not allowed. */
export const refinePlainHttp = (
  value: { readonly url?: string | undefined; readonly plain_http?: boolean | undefined },
  context: z.RefinementCtx,
): void => {
  const url = value.url === undefined ? null : parseUrl(value.url);
  if (url?.protocol !== 'http:' || isLoopback(url.hostname)) return;
  if (value.plain_http === true && PRIVATE_HOST.test(url.hostname)) return;
  context.addIssue({
    code: 'custom',
    path: ['url'],
    message:
      value.plain_http === true
        ? 'must be an https:// URL: plain_http is for hosts of a private network only'
        : 'must be an https:// URL, or the http:// URL of a private host with plain_http: true',
  });
};

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
