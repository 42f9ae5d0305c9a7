import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;
/** A message as it stands in a channel of Slack or Teams. */
export interface ChatMessage {
  readonly text: string;
  /** Addresses of its buttons. */
  readonly links: readonly string[];
}
/** A webhook whose signature was right. */
export interface ReceivedWebhook {
  readonly id: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: Json };
}

export const BOT_TOKEN = 'xoxb-1-abcdef';
export const SIGNING_KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/** Seconds that the clock of a webhook's sender may differ, as Standard Webhooks advises. */
const TOLERANCE_S = 300;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Reads blocks as Slack does. Returns null for blocks that Slack refuses with `invalid_blocks`. */
function readBlocks(body: Json): ChatMessage | null {
  const { text, blocks } = body;
  if (typeof text !== 'string' || !Array.isArray(blocks) || blocks.length > 50) return null;
  const texts: string[] = [text];
  const links: string[] = [];
  for (const block of list(blocks)) {
    if (block['type'] === 'section') {
      for (const each of [block['text'], ...list(block['fields'])]) {
        if (!isObject(each) || each['type'] !== 'mrkdwn' || typeof each['text'] !== 'string') return null;
        if (each['text'].length === 0 || each['text'].length > 3_000) return null;
        texts.push(each['text']);
      }
      if (list(block['fields']).some(({ text: field }) => String(field).length > 2_000)) return null;
    } else if (block['type'] === 'actions') {
      for (const button of list(block['elements'])) {
        const label = button['text'];
        if (button['type'] !== 'button' || !isObject(label) || label['type'] !== 'plain_text') return null;
        if (String(label['text']).length > 75 || !URL.canParse(String(button['url']))) return null;
        links.push(String(button['url']));
      }
    } else return null;
  }
  return { text: texts.join('\n'), links };
}

/** Reads the Adaptive Card of an incoming webhook of Teams. Returns null for one that Teams refuses. */
function readCard(body: Json): ChatMessage | null {
  const [attachment, ...others] = list(body['attachments']);
  const card = attachment?.['content'];
  if (body['type'] !== 'message' || others.length > 0 || !isObject(card)) return null;
  if (attachment?.['contentType'] !== 'application/vnd.microsoft.card.adaptive') return null;
  if (card['type'] !== 'AdaptiveCard' || typeof card['version'] !== 'string') return null;
  const texts = list(card['body']).flatMap((part) => {
    if (part['type'] === 'TextBlock') return [String(part['text'])];
    return list(part['facts']).map(({ title, value }) => `${title}: ${value}`);
  });
  const actions = list(card['actions']);
  if (actions.some(({ type, url }) => type !== 'Action.OpenUrl' || !URL.canParse(String(url)))) return null;
  return { text: texts.join('\n'), links: actions.map(({ url }) => String(url)) };
}

/** Checks a signature as a receiver does that follows Standard Webhooks. */
function isSigned({ headers }: IncomingMessage, text: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof at !== 'string' || typeof signatures !== 'string') return false;
  if (Math.abs(Date.now() / 1_000 - Number(at)) > TOLERANCE_S) return false;
  const key = Buffer.from(SIGNING_KEY.slice('whsec_'.length), 'base64');
  const wanted = createHmac('sha256', key).update(`${id}.${at}.${text}`).digest();
  return signatures.split(' ').some((each) => {
    const [version, signature = ''] = each.split(',');
    const given = Buffer.from(signature, 'base64');
    return version === 'v1' && given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

/** A server that speaks as the Slack API, incoming webhooks of Slack and Teams, and a receiver of webhooks do. */
export class ScriptedChats {
  /** Messages of the bot by `ts`. */
  readonly botMessages = new Map<string, ChatMessage>();
  readonly slack: ChatMessage[] = [];
  readonly teams: ChatMessage[] = [];
  readonly webhooks: ReceivedWebhook[] = [];
  /** Requests by path, refused ones too. */
  readonly requests: string[] = [];
  /** Answers that come before the usual ones: status, body and headers. */
  readonly failures: (readonly [number, string, Record<string, string>?])[] = [];
  /** Called after each request. */
  onRequest = (): void => {};
  readonly #server: Server;
  #count = 0;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      const path = request.url ?? '/';
      this.requests.push(path);
      const [status, body, headers = {}] = this.failures.shift() ?? this.#answer(path, request, text);
      response.writeHead(status, headers).end(body);
      this.onRequest();
    });
  }

  static async start(): Promise<ScriptedChats> {
    const chats = new ScriptedChats();
    await new Promise<void>((resolve) => chats.#server.listen(0, '127.0.0.1', () => resolve()));
    return chats;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(path: string, request: IncomingMessage, text: string): readonly [number, string] {
    if (!request.headers['content-type']?.startsWith('application/json')) return [415, 'no JSON'];
    const body = JSON.parse(text) as Json;
    if (path.startsWith('/api/')) return [200, JSON.stringify(this.#answerBot(path, request, body))];
    if (path === '/services/T1/B1/hush') {
      const message = readBlocks(body);
      if (message === null) return [400, 'invalid_blocks'];
      this.slack.push(message);
      return [200, 'ok'];
    }
    if (path === '/workflows/1/triggers/manual/paths/invoke?sig=hush') {
      const message = readCard(body);
      if (message === null) return [400, '{"error":{"code":"InvalidCard"}}'];
      this.teams.push(message);
      return [202, ''];
    }
    if (path !== '/hook') return [404, 'no_service'];
    if (!isSigned(request, text)) return [401, 'bad signature'];
    this.webhooks.push({
      id: String(request.headers['webhook-id']),
      body: body as unknown as ReceivedWebhook['body'],
    });
    return [204, ''];
  }

  #answerBot(path: string, { headers }: IncomingMessage, body: Json): Json {
    if (headers.authorization !== `Bearer ${BOT_TOKEN}`) return { ok: false, error: 'invalid_auth' };
    const message = readBlocks(body);
    if (message === null) return { ok: false, error: 'invalid_blocks' };
    if (path === '/api/chat.postMessage') {
      if (body['channel'] !== '#agents') return { ok: false, error: 'channel_not_found' };
      this.#count += 1;
      const ts = `1700000000.${String(this.#count).padStart(6, '0')}`;
      this.botMessages.set(ts, message);
      return { ok: true, channel: 'C0AGENTS', ts };
    }
    const ts = String(body['ts']);
    if (path !== '/api/chat.update') return { ok: false, error: 'unknown_method' };
    // Updates take the id of a channel, and not its name.
    if (body['channel'] !== 'C0AGENTS') return { ok: false, error: 'channel_not_found' };
    if (!this.botMessages.has(ts)) return { ok: false, error: 'message_not_found' };
    this.botMessages.set(ts, message);
    return { ok: true, channel: 'C0AGENTS', ts, text: message.text };
  }
}

/** Targets of all kinds at a server, as `assay:notify` has them. */
export const chatTargets = (chats: ScriptedChats) =>
  [
    {
      name: 'bot',
      kind: 'slack',
      channel: '#agents',
      api_url: `${chats.url}/api`,
      allow_private_address: true,
    },
    { name: 'slack', kind: 'slack', allow_private_address: true },
    { name: 'teams', kind: 'teams', allow_private_address: true },
    { name: 'hook', kind: 'webhook', allow_private_address: true },
  ] as const;

/** Their secret. */
export const chatSecret = (chats: ScriptedChats) => ({
  targets: {
    bot: { bot_token: BOT_TOKEN },
    slack: { url: `${chats.url}/services/T1/B1/hush` },
    teams: { url: `${chats.url}/workflows/1/triggers/manual/paths/invoke?sig=hush` },
    hook: { url: `${chats.url}/hook`, signing_key: SIGNING_KEY },
  },
});
