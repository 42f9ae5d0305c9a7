import * as z from 'zod';
import {
  findDuplicateScopes,
  MAX_REPOSITORY_URL_LENGTH,
  normalizeRepositoryUrl,
  parseRepositoryUrl,
} from './repository-url.ts';

/** Kept in its normal form, which every program reads alike. */
export const RepositoryUrl = z
  .string()
  .max(MAX_REPOSITORY_URL_LENGTH)
  .superRefine((value, context) => {
    const read = parseRepositoryUrl(value);
    if ('error' in read) context.addIssue({ code: 'custom', message: read.error });
  })
  .overwrite(normalizeRepositoryUrl);

/** Origin and path prefix that a push credential is for, e.g. `https://github.com/acme`. Only over https can one be sent. */
export const CredentialUrlPrefix = RepositoryUrl.refine(
  (value) => value.startsWith('https://'),
  'must be an https:// URL',
);

export const AuthorizationHeader = z
  .string()
  .regex(/^[A-Za-z]+ [\x21-\x7e]+$/, 'must be the value of an Authorization header, e.g. "Basic ..."');
export const CredentialToken = z.string().regex(/^[\x21-\x7e]+$/, 'must be a token without blanks');

/** Refuses two entries for the same prefix, also where they differ in `.git`. */
export function rejectDuplicateCredentialPrefixes(
  { credentials }: { readonly credentials: readonly { readonly url: string }[] },
  context: z.RefinementCtx,
): void {
  for (const index of findDuplicateScopes(credentials))
    context.addIssue({ code: 'custom', path: ['credentials', index, 'url'], message: 'is listed twice' });
}

/** The secret of the function that delivers. Of several entries that cover a repository the one with the longest path counts. */
export const PushCredentials = z
  .strictObject({
    credentials: z
      .array(
        z.union([
          z.strictObject({ url: CredentialUrlPrefix, token: CredentialToken }),
          z.strictObject({ url: CredentialUrlPrefix, authorization: AuthorizationHeader }),
        ]),
      )
      .min(1)
      .max(100),
  })
  .superRefine(rejectDuplicateCredentialPrefixes);
export type PushCredentials = z.infer<typeof PushCredentials>;
