import { createHmac } from 'node:crypto';

/**
 * Returns the headers that sign a webhook, as the Standard Webhooks specification 1.0 has them.
 * @param key `whsec_` and base64 @param at time of the attempt
 */
export function signWebhook(key: string, id: string, at: Date, body: string): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1_000);
  const secret = Buffer.from(key.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', secret).update(`${id}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
