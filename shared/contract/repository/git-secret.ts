import * as z from 'zod';
import { isLoopbackUrl } from './loopback.ts';
import {
  AuthorizationHeader,
  CredentialToken,
  CredentialUrlPrefix,
  rejectDuplicateCredentialPrefixes,
} from './schema.ts';

const ApiUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => url.startsWith('https:') || isLoopbackUrl(url), 'must be an https:// URL')
  .transform((url) => url.replace(/\/+$/, ''));

const Id = z.union([z.int().positive(), z.string().regex(/^[1-9]\d{0,18}$/)]).transform(String);

/** A GitHub App that is installed on the owner of the repositories: its key makes tokens for one repository and one hour. */
export const GitHubAppCredential = z.strictObject({
  url: CredentialUrlPrefix.describe(
    'Prefix of the repositories that it is for, e.g. `https://github.com/acme`.',
  ),
  github_app: z.strictObject({
    app_id: Id,
    installation_id: Id,
    /** As GitHub gives it: PEM of PKCS#1 or PKCS#8. */
    private_key: z.string().regex(/^-----BEGIN (RSA )?PRIVATE KEY-----/, 'must be a private key in PEM'),
    /** Of a GitHub Enterprise Server. @default - https://api.github.com, or https://<host>/api/v3 */
    api_url: ApiUrl.optional(),
  }),
});
export type GitHubAppCredential = z.infer<typeof GitHubAppCredential>;

const StoredCredential = z.union([
  z.strictObject({ url: CredentialUrlPrefix, token: CredentialToken }),
  z.strictObject({ url: CredentialUrlPrefix, authorization: AuthorizationHeader }),
]);

/** The secret that only the minter reads. Of several entries that cover a repository the one with the longest path counts. */
export const GitCredentialsSecret = z
  .strictObject({
    credentials: z
      .array(z.union([GitHubAppCredential, StoredCredential]))
      .min(1)
      .max(100),
  })
  .superRefine(rejectDuplicateCredentialPrefixes);
export type GitCredentialsSecret = z.infer<typeof GitCredentialsSecret>;

/** Where the minter finds the secret. */
export const GitCredentialsSource = z.discriminatedUnion('via', [
  z.strictObject({ via: z.literal('none') }),
  z.strictObject({ via: z.literal('secret'), arn: z.string() }),
  /** The embedded default, where the variable is lent to the minter's thread. */
  z.strictObject({ via: z.literal('environment'), variable: z.string() }),
]);
export type GitCredentialsSource = z.infer<typeof GitCredentialsSource>;
