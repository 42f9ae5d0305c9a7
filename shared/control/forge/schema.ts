import * as z from 'zod';
import { GitHubApp } from '../../contract/repository/git-secret.ts';
import { isLoopback } from '../../contract/repository/loopback.ts';
import { PushScope, Token, unique } from '../../contract/repository/schema.ts';

export const FORGES = ['github', 'gitlab'] as const;
export type ForgeKind = (typeof FORGES)[number];

/** What a deployment does at a forge: `assay:forges`. No secret is in it. */
export const ForgeSetting = z.strictObject({
  url: PushScope.describe('The repositories that it is for, e.g. `https://github.com/acme`.'),
  forge: z.enum(FORGES),
  api_url: z
    .url({ protocol: /^https?$/ })
    .refine((url) => url.startsWith('https:') || isLoopback(url), 'must be an https:// URL')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'Of a server of your own; absent: that of github.com or gitlab.com, or the usual one of the host.',
    ),
  label: z
    .string()
    .trim()
    .min(1)
    .max(50)
    .default('assay')
    .describe('An issue that gets this label becomes a task.'),
});
export type ForgeSetting = z.infer<typeof ForgeSetting>;
export const KnownForges = z.array(ForgeSetting).max(100);
export const ForgeSettings = KnownForges.min(1);
export type ForgeSettings = z.infer<typeof ForgeSettings>;

const WebhookSecret = z.string().min(16, 'must have 16 characters and more');

/** The secret of the two functions that speak with forges. Of several entries that cover a repository the one with the longest path counts. */
export const ForgeSecret = z
  .strictObject({
    credentials: z
      .array(
        z.union([
          GitHubApp.extend({ webhook_secret: WebhookSecret.optional() }),
          z.strictObject({ url: PushScope, token: Token, webhook_secret: WebhookSecret.optional() }),
        ]),
      )
      .min(1)
      .max(100),
  })
  .superRefine(unique);
export type ForgeSecret = z.infer<typeof ForgeSecret>;
export type ForgeCredential = ForgeSecret['credentials'][number];
