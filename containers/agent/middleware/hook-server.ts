import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  isAuthenticationLeftToHandler,
  isSameSecret,
  listenOnLoopback,
} from '../../../shared/lib/loopback-listener.ts';
import { formatToolInput } from '../adapters/agent-call-event.ts';
import { type JsonFields, toJsonFields, toNonBlankText, tryParseJson } from '../adapters/json-fields.ts';
import type { AgentRunMiddleware } from './agent-run-middleware.ts';

/** Largest question in bytes that is read: a tool may write a whole file. */
const MAX_BYTES = 8 * 1_048_576;

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

const denied = (reason: string) => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: reason,
  },
});

/** The events of CLIs that ask, and what is denied in each one's words. Those of Gemini CLI give calls no id. */
const DENIALS_BY_EVENT: Readonly<Record<string, (reason: string) => object>> = {
  PreToolUse: denied,
  BeforeTool: (reason) => ({ decision: 'deny', reason }),
};

/** Ids for calls that have none: what is called with the same twice at once is told apart by nothing, and need not be. */
class ToolCallIds {
  readonly #open = new Map<string, string[]>();
  readonly #key = (event: JsonFields): string => JSON.stringify([event['tool_name'], event['tool_input']]);

  begin(event: JsonFields): string {
    const id = randomUUID();
    const key = this.#key(event);
    this.#open.set(key, [...(this.#open.get(key) ?? []), id]);
    return id;
  }

  end(event: JsonFields): string {
    const [id = '', ...others] = this.#open.get(this.#key(event)) ?? [];
    if (others.length > 0) this.#open.set(this.#key(event), others);
    else this.#open.delete(this.#key(event));
    return id;
  }
}

/** What is answered to one question of a CLI. What cannot be read is not let through. */
async function answerHook(
  body: string | null,
  around: AgentRunMiddleware,
  unnamed: ToolCallIds,
): Promise<object> {
  const event = toJsonFields(body === null ? undefined : tryParseJson(body));
  const name = toNonBlankText(event['hook_event_name']) ?? '';
  const tool = toNonBlankText(event['tool_name']);
  const refuse = DENIALS_BY_EVENT[name] ?? denied;
  const named = toNonBlankText(event['tool_use_id']);
  if (tool === null || (named === null && !name.endsWith('Tool')))
    return refuse('the platform could not read this');
  const response = event['tool_response'];
  if (!Object.hasOwn(DENIALS_BY_EVENT, name)) {
    around.completeToolCall(
      named ?? unnamed.end(event),
      formatToolInput(response ?? event['error'] ?? ''),
      name === 'PostToolUseFailure' || toJsonFields(response)['error'] !== undefined,
    );
    return {};
  }
  const given = event['tool_input'];
  const word = await around.decideToolCall(
    named ?? unnamed.begin(event),
    tool,
    formatToolInput(given, toJsonFields(given)['command']),
  );
  if (word.allowed) return {};
  if (named === null) unnamed.end(event);
  return refuse(word.reason);
}

export interface ToolHookServer {
  /** Where a CLI asks, good for this box. */
  readonly url: string;
  close(): Promise<void>;
}

/** Answers a CLI that asks before it calls a tool. What it is asked by is the agent's own user: it is a door for an honest agent, and no wall. */
export async function startToolHookServer(around: AgentRunMiddleware): Promise<ToolHookServer> {
  const path = `/${randomUUID()}`;
  const unnamed = new ToolCallIds();
  // The handler compares the path, because a CLI takes only a denial in its own format as one.
  const rule = { servesPages: false, isAuthenticated: isAuthenticationLeftToHandler };
  const listener = await listenOnLoopback(rule, (request, response) => {
    void (async () => {
      const answer = isSameSecret(request.url ?? '', path)
        ? await answerHook(await bodyOf(request), around, unnamed)
        : denied('no such place');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    })().catch(() => response.destroy());
  });
  around.holdsToolCalls = true;
  return {
    url: `${listener.url}${path}`,
    close: listener.stop,
  };
}
