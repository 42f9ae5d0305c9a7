import * as z from 'zod';
import { GitHubAppCredential } from '../../contract/repository/git-secret.ts';
import { isLoopbackUrl } from '../../contract/repository/loopback.ts';
import { findDuplicateScopes } from '../../contract/repository/repository-url.ts';
import {
  CredentialToken,
  CredentialUrlPrefix,
  rejectDuplicateCredentialPrefixes,
} from '../../contract/repository/schema.ts';

export const FORGE_KINDS = ['github', 'gitlab'] as const;
export type ForgeKind = (typeof FORGE_KINDS)[number];

/** Which pull requests of others are verified: one that any of the lists selects. */
export const PullRequestSelection = z.strictObject({
  authors: z
    .array(z.string().trim().min(1).max(100))
    .max(100)
    .default(['bots'])
    .describe('Logins; `bots`: accounts that the forge says are bots; `everyone`.'),
  labels: z
    .array(z.string().trim().min(1).max(50))
    .max(100)
    .optional()
    .describe('Labels of the pull request. Absent: the label that turns an issue into a task.'),
  branches: z
    .array(z.string().trim().min(1).max(255))
    .max(100)
    .default([])
    .describe('Patterns of its branch, e.g. `agents/**`.'),
  unverified: z
    .enum(['neutral', 'action_required'])
    .default('neutral')
    .describe(
      'Conclusion of the check when nothing was verified. A required check is satisfied by `neutral`, and not by `action_required`.',
    ),
});
export type PullRequestSelection = z.infer<typeof PullRequestSelection>;

/** What a deployment does at a forge: `assay:forges`. No secret is in it. */
export const ForgeSetting = z.strictObject({
  url: CredentialUrlPrefix.describe('The repositories that it is for, e.g. `https://github.com/acme`.'),
  forge: z.enum(FORGE_KINDS),
  api_url: z
    .url({ protocol: /^https?$/ })
    .refine((url) => url.startsWith('https:') || isLoopbackUrl(url), 'must be an https:// URL')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'API of an own server; absent: that of github.com or gitlab.com, or the usual one of the host.',
    ),
  label: z
    .string()
    .trim()
    .min(1)
    .max(50)
    .default('assay')
    .describe('An issue that gets this label becomes a task.'),
  max_revisions: z
    .int()
    .min(0)
    .max(10)
    .default(3)
    .describe('How often one pull request that Assay opened is revised on request; 0: never.'),
  pull_requests: PullRequestSelection.prefault({}).describe('Pull requests of others that are verified.'),
});
export type ForgeSetting = z.infer<typeof ForgeSetting>;
export const ForgeSettingList = z
  .array(ForgeSetting)
  .max(100)
  .superRefine((settings, context) => {
    for (const index of findDuplicateScopes(settings))
      context.addIssue({ code: 'custom', path: [index, 'url'], message: 'is listed twice' });
  });
export const ForgeSettings = ForgeSettingList.min(1);
export type ForgeSettings = z.infer<typeof ForgeSettings>;

const WebhookSecret = z.string().min(16, 'must have 16 characters and more');

/** The secret of the two functions that speak with forges. Of several entries that cover a repository the one with the longest path counts. */
export const ForgeCredentialsSecret = z
  .strictObject({
    credentials: z
      .array(
        z.union([
          GitHubAppCredential.extend({ webhook_secret: WebhookSecret.optional() }),
          z.strictObject({
            url: CredentialUrlPrefix,
            token: CredentialToken,
            webhook_secret: WebhookSecret.optional(),
          }),
        ]),
      )
      .min(1)
      .max(100),
  })
  .superRefine(rejectDuplicateCredentialPrefixes);
export type ForgeCredentialsSecret = z.infer<typeof ForgeCredentialsSecret>;
export type ForgeCredential = ForgeCredentialsSecret['credentials'][number];
