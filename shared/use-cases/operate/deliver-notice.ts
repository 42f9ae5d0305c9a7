import {
  deliveryKey,
  isSubscribed,
  keepsTaskMessage,
  type Notice,
  type NoticeDelivery,
} from '../../control/notify/notice.ts';
import {
  findNotifyCredentialProblem,
  type NotifyCredential,
  type NotifySecret,
  type NotifyTarget,
} from '../../control/notify/notify-settings.ts';
import {
  renderSlackMessage,
  renderTeamsMessage,
  renderWebhookBody,
} from '../../control/notify/render-notice.ts';
import { signWebhook } from '../../control/notify/sign-webhook.ts';
import type { NoticeRecord, NoticeStore, SentMessage } from '../../store/notices.ts';

/** Why a notice was not delivered. Its message repeats nothing of the address, which may be a secret. */
export class NoticeError extends Error {
  /** Seconds that the server asked for; null: it did not say. */
  readonly retryAfter: number | null;

  constructor(message: string, retryAfter: number | null = null) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

export interface PostAnswer {
  readonly status: number;
  readonly retryAfter: number | null;
  readonly text: string;
}

/** Posts JSON. @throws NoticeError if the server cannot be reached or may not be asked */
export type PostJson = (
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  options: { readonly allowPrivateAddress: boolean },
) => Promise<PostAnswer>;

export interface NoticeContext {
  readonly targets: readonly NotifyTarget[];
  readonly readSecret: () => Promise<NotifySecret>;
  readonly notices: Pick<NoticeStore, 'claim' | 'release'>;
  readonly post: PostJson;
  /** Address of the page, without a slash at the end. */
  readonly pageUrl: string;
  readonly now: () => Date;
}

export type NoticeOutcome = 'sent' | 'repeated' | 'unwanted' | 'no_target';

/**
 * Delivers one notice to one target. Sends again what was sent just before a sender was lost: receivers drop repeats by the
 * id. @throws NoticeError if the notice was not delivered
 */
export async function deliverNotice(
  { target: name, notice }: NoticeDelivery,
  context: NoticeContext,
): Promise<NoticeOutcome> {
  const target = context.targets.find((each) => each.name === name);
  if (!target) return 'no_target';
  const { notices, now } = context;
  const key = deliveryKey(target, notice);
  const record = await notices.claim(name, key, now());
  if (record === null) throw new NoticeError('another notice of the same delivery is being sent');
  let sent: NoticeRecord | null = null;
  try {
    const version = notice.task?.version ?? 0;
    const isKept = keepsTaskMessage(target) && notice.task !== null;
    if (isKept ? record.version >= version : record.sentAt !== null) return 'repeated';
    if (isKept && record.message === null && !isSubscribed(target, notice)) return 'unwanted';
    const message = await send(target, notice, record.message, context);
    sent = { version, sentAt: now().toISOString(), message };
    return 'sent';
  } finally {
    await notices.release(name, key, sent, now());
  }
}

async function send(
  target: NotifyTarget,
  notice: Notice,
  message: SentMessage | null,
  context: NoticeContext,
): Promise<SentMessage | null> {
  const { pageUrl, now } = context;
  const secret = await context.readSecret();
  const problem = findNotifyCredentialProblem(target, secret);
  const credential = secret.targets[target.name];
  if (problem !== null || credential === undefined)
    throw new NoticeError(`the secret for notifications: ${problem}`);
  if (target.kind === 'slack' && 'bot_token' in credential)
    return sendBotMessage(target, credential.bot_token, notice, message, context);
  const { url, signing_key } = urlOf(credential);
  const rendered =
    target.kind === 'slack'
      ? renderSlackMessage(notice, pageUrl)
      : target.kind === 'teams'
        ? renderTeamsMessage(notice, pageUrl)
        : renderWebhookBody(notice, pageUrl);
  const body = JSON.stringify(rendered);
  const headers = signing_key === undefined ? {} : signWebhook(signing_key, notice.id, now(), body);
  const answer = await context.post(url, body, headers, {
    allowPrivateAddress: target.allow_private_address,
  });
  requireSuccess(target, answer);
  return null;
}

const urlOf = (credential: NotifyCredential): { url: string; signing_key?: string } => {
  if ('url' in credential) return credential;
  throw new NoticeError('the secret for notifications has no url');
};

function requireSuccess({ name, kind }: NotifyTarget, { status, retryAfter, text }: PostAnswer): void {
  if (status < 200 || status > 299) throw new NoticeError(`${name} answers ${status}`, retryAfter);
  // The older connectors of Teams answer 200 and say in the text that the message was not delivered.
  if (kind === 'teams' && /Webhook message delivery failed/i.test(text))
    throw new NoticeError(`${name} says that the message was not delivered`, retryAfter);
}

/** Posts the message of a task, or updates it. */
async function sendBotMessage(
  target: Extract<NotifyTarget, { kind: 'slack' }>,
  token: string,
  notice: Notice,
  message: SentMessage | null,
  context: Pick<NoticeContext, 'post' | 'pageUrl'>,
): Promise<SentMessage | null> {
  const { post, pageUrl } = context;
  const place = message ?? { channel: target.channel ?? '' };
  const body = JSON.stringify({ ...place, ...renderSlackMessage(notice, pageUrl) });
  const method = message === null ? 'chat.postMessage' : 'chat.update';
  const answer = await post(
    `${target.api_url}/${method}`,
    body,
    { authorization: `Bearer ${token}` },
    { allowPrivateAddress: target.allow_private_address },
  );
  requireSuccess(target, answer);
  const { ok, error, channel, ts } = parseSlackAnswer(answer.text);
  // The message was removed by someone: a new one takes its place.
  if (!ok && message !== null && (error === 'message_not_found' || error === 'channel_not_found'))
    return sendBotMessage(target, token, notice, null, context);
  if (!ok) throw new NoticeError(`${target.name}: ${method} answers ${error}`, answer.retryAfter);
  return notice.task === null ? null : { channel, ts };
}

/** Error codes of Slack are words; anything else is not repeated. */
function parseSlackAnswer(text: string) {
  let value: Record<string, unknown> = {};
  try {
    value = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // Counts as an answer that says nothing.
  }
  const { ok, error, channel, ts } = value ?? {};
  return {
    ok: ok === true && typeof channel === 'string' && typeof ts === 'string',
    error: typeof error === 'string' && /^[a-z0-9_]{1,60}$/.test(error) ? error : 'no known error',
    channel: String(channel),
    ts: String(ts),
  };
}
