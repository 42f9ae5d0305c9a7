import * as z from 'zod';
import { isLoopbackUrl } from '../../contract/repository/loopback.ts';
import { CredentialUrlPrefix } from '../../contract/repository/schema.ts';
import { EVENT_NAMES } from '../events/event-schemas.ts';

/** What a target can be told of: the events of the deployment, and alarms that say something about tasks. */
export const NOTICE_NAMES = [...EVENT_NAMES, 'Alarm'] as const;
export const NoticeName = z.enum(NOTICE_NAMES);
export type NoticeName = z.infer<typeof NoticeName>;

/** What chat targets are told of by default: what people should look at. */
const CHAT_NOTICES: readonly NoticeName[] = ['Task Held', 'Task Failed', 'Budget Spent', 'Alarm'];

const ApiUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => url.startsWith('https:') || isLoopbackUrl(url), 'must be an https:// URL')
  .transform((url) => url.replace(/\/+$/, ''));

const targetFields = {
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be 1 to 40 lower-case letters, digits or "-"')
    .describe('Name of the target: the secret has its address under this name.'),
  repositories: z
    .array(CredentialUrlPrefix)
    .min(1)
    .max(100)
    .optional()
    .describe('Only tasks of these repositories. Absent: of all, and alarms.'),
  allow_private_address: z
    .boolean()
    .default(false)
    .describe('The server may have an address that is not public, and use http.'),
};
const chatEvents = z
  .array(NoticeName)
  .min(1)
  .default([...CHAT_NOTICES])
  .describe('Events that are sent.');

/** A target of notifications. No secret is in it. */
export const NotifyTarget = z.discriminatedUnion('kind', [
  z.strictObject({
    ...targetFields,
    kind: z.literal('slack'),
    events: chatEvents,
    channel: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe('Channel of a bot token: one message for each task, updated. Absent: an incoming webhook.'),
    api_url: ApiUrl.default('https://slack.com/api').describe('Address of the Slack API.'),
  }),
  z.strictObject({ ...targetFields, kind: z.literal('teams'), events: chatEvents }),
  z.strictObject({
    ...targetFields,
    kind: z.literal('webhook'),
    events: z
      .array(NoticeName)
      .min(1)
      .default([...NOTICE_NAMES])
      .describe('Events that are sent.'),
  }),
]);
export type NotifyTarget = z.infer<typeof NotifyTarget>;

/** `assay:notify`, and the file of `assay up --notify`. */
export const NotifyTargets = z
  .array(NotifyTarget)
  .min(1)
  .max(20)
  .superRefine((targets, context) => {
    const names = targets.map(({ name }) => name);
    for (const [index, name] of names.entries())
      if (names.indexOf(name) !== index)
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'is listed twice' });
  });
export type NotifyTargets = z.infer<typeof NotifyTargets>;

const WebhookUrl = z.url({ protocol: /^https?$/ });
/** Key of a webhook's signature, as the Standard Webhooks specification writes it: 24 to 64 random bytes. */
const SigningKey = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'must be whsec_ and base64')
  .refine((key) => {
    const { length } = Buffer.from(key.slice('whsec_'.length), 'base64');
    return length >= 24 && length <= 64;
  }, 'must have 24 to 64 bytes');

/** Address and key of each target, by its name. */
const NotifyCredential = z.union([
  z.strictObject({ url: WebhookUrl, signing_key: SigningKey }),
  z.strictObject({ url: WebhookUrl }),
  z.strictObject({ bot_token: z.string().regex(/^xox[a-z]-[\w-]+$/, 'must be a bot token of Slack') }),
]);
export type NotifyCredential = z.infer<typeof NotifyCredential>;

/** The secret of the function that sends notifications. */
export const NotifySecret = z.strictObject({ targets: z.record(z.string(), NotifyCredential) });
export type NotifySecret = z.infer<typeof NotifySecret>;

/** Returns what the credential of a target must be and is not, or null. */
export function findNotifyCredentialProblem(target: NotifyTarget, secret: NotifySecret): string | null {
  const credential = Object.hasOwn(secret.targets, target.name) ? secret.targets[target.name] : undefined;
  const isBot = target.kind === 'slack' && target.channel !== undefined;
  if (credential === undefined) return `/targets has none for ${target.name}`;
  if (isBot) return 'bot_token' in credential ? null : `/targets/${target.name} needs a bot_token`;
  if (!('url' in credential)) return `/targets/${target.name} needs a url`;
  if (target.kind === 'webhook' && !('signing_key' in credential))
    return `/targets/${target.name} needs a signing_key`;
  return null;
}
