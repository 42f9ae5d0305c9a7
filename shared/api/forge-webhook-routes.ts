import * as z from 'zod';
import type { RouteDefinition } from './route.ts';

/** What came of what a forge has told. */
export const ForgeEventView = z
  .object({
    outcome: z.enum(['done', 'ignored']),
    task_id: z.string().nullable(),
    reason: z.string(),
  })
  .meta({ id: 'ForgeEventResponse' });

const webhookRoute = (forge: string) => ({
  method: 'POST' as const,
  function: 'api-webhook' as const,
  callers: ['anyone'] as const,
  /** Whoever has signed it counts, and not a token. */
  isSigned: true,
  summary: `Take an event of ${forge}, signed with the secret of its webhook`,
  refusalCodes: [
    'bad_signature',
    'body_too_large',
    'body_not_json',
    'invalid',
    'not_found',
    'conflict',
    'id_taken',
  ] as const,
  response: ForgeEventView,
});

/** Where forges send what happens there. */
export const FORGE_WEBHOOK_ROUTES = {
  receiveGitHubEvent: { ...webhookRoute('GitHub'), path: '/webhooks/github' },
  receiveGitLabEvent: { ...webhookRoute('GitLab'), path: '/webhooks/gitlab' },
} as const satisfies Record<string, RouteDefinition>;
