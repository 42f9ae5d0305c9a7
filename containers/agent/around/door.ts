import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fields, json, text } from '../adapters/fields.ts';
import { asText } from '../adapters/seen.ts';
import type { Around } from './around.ts';

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

/** What is answered to one question of a CLI. What cannot be read is not let through. */
async function answerTo(body: string | null, around: Around): Promise<object> {
  const event = fields(body === null ? undefined : json(body));
  const id = text(event['tool_use_id']);
  const tool = text(event['tool_name']);
  if (id === null || tool === null) return denied('the platform could not read this');
  if (event['hook_event_name'] !== 'PreToolUse') {
    around.returned(
      id,
      asText(event['tool_response'] ?? event['error'] ?? ''),
      event['hook_event_name'] === 'PostToolUseFailure',
    );
    return {};
  }
  const given = event['tool_input'];
  const word = await around.hold(id, tool, asText(given, fields(given)['command']));
  return word.allowed ? {} : denied(word.reason);
}

export interface Door {
  /** Where a CLI asks, good for this box. */
  readonly url: string;
  close(): Promise<void>;
}

/** Answers a CLI that asks before it calls a tool. What it is asked by is the agent's own user: it is a door for an honest agent, and no wall. */
export async function openDoor(around: Around): Promise<Door> {
  const path = `/${randomUUID()}`;
  const server = createServer((request, response) => {
    void (async () => {
      const answer =
        request.url === path ? await answerTo(await bodyOf(request), around) : denied('no such place');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  around.holds = true;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
