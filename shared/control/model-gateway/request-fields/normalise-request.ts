import type * as z from 'zod';
import type { ModelApiProtocol } from '../../../contract/models/protocols.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json-object.ts';
import type { AllowedFields } from './allowed-fields.ts';
import { ANTHROPIC_FIELDS, AnthropicRequest } from './anthropic-fields.ts';
import { CHAT_FIELDS, ChatRequest } from './chat-fields.ts';
import { GEMINI_FIELDS, GeminiRequest } from './gemini-fields.ts';
import { RESPONSES_FIELDS, ResponsesRequest } from './responses-fields.ts';

/** Schema and field names of each protocol. */
const REQUESTS: Readonly<
  Record<ModelApiProtocol, { readonly schema: z.ZodType; readonly fields: AllowedFields }>
> = {
  anthropic: { schema: AnthropicRequest, fields: ANTHROPIC_FIELDS },
  responses: { schema: ResponsesRequest, fields: RESPONSES_FIELDS },
  chat: { schema: ChatRequest, fields: CHAT_FIELDS },
  gemini: { schema: GeminiRequest, fields: GEMINI_FIELDS },
};

/** Paths of dropped fields that are reported; and their length in characters. */
const MAX_REPORTED_FIELDS = 20;
const MAX_PATH_LENGTH = 100;
const MAX_MESSAGE_LENGTH = 500;

/** A request as it is sent to the provider, or why it is refused. */
export type NormalisedRequest =
  | { readonly body: JsonObject; readonly droppedFields: readonly string[] }
  | { readonly problem: string };

const formatPath = (path: readonly PropertyKey[]): string =>
  path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${String(step)}`))
    .join('')
    .slice(0, MAX_PATH_LENGTH);

interface RequestIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The issue that lies deepest: of the alternatives of a union, the one that the request comes closest to. */
function deepestIssue(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): RequestIssue {
  const path = [...above, ...issue.path];
  if (issue.code !== 'invalid_union') return { path, message: issue.message };
  return issue.errors
    .flat()
    .map((each) => deepestIssue(each, path))
    .reduce<RequestIssue>((deepest, each) => (each.path.length > deepest.path.length ? each : deepest), {
      path,
      message: 'has a form that this gateway does not know',
    });
}

/**
 * Copies what the schema let through in the order of the request, so that a request with allowed fields only stays as it is. Reports each
 * field that was left out to `onDropped`.
 */
function inRequestOrder(
  raw: unknown,
  parsed: unknown,
  path: string,
  onDropped: (name: string, path: string, value: unknown) => void,
): unknown {
  if (raw === parsed) return parsed;
  if (Array.isArray(raw) && Array.isArray(parsed))
    return parsed.map((each, index) => inRequestOrder(raw[index], each, `${path}[]`, onDropped));
  if (!isJsonObject(raw) || !isJsonObject(parsed)) return parsed;
  return Object.fromEntries(
    Object.entries(raw).flatMap(([name, value]) => {
      const at = path === '' ? name : `${path}.${name}`;
      const kept = Object.hasOwn(parsed, name) ? parsed[name] : undefined;
      if (kept !== undefined) return [[name, inRequestOrder(value, kept, at, onDropped)] as const];
      onDropped(name, at, value);
      return [];
    }),
  );
}

/**
 * Makes of a request what the gateway sends: allowed fields only, with values whose cost its bytes bound. Fields that are not known are
 * left out, other spellings of known ones are refused, and so is everything that refers to content elsewhere.
 */
export function normaliseRequest(protocol: ModelApiProtocol, raw: JsonObject): NormalisedRequest {
  const { schema, fields } = REQUESTS[protocol];
  const result = schema.safeParse(raw);
  if (!result.success) {
    const [first] = result.error.issues;
    const { path, message } = first ? deepestIssue(first) : { path: [], message: 'is not a request' };
    return { problem: `${formatPath(path)} ${message}`.trim().slice(0, MAX_MESSAGE_LENGTH) };
  }
  const dropped = new Set<string>();
  const misspelt: string[] = [];
  const body = inRequestOrder(raw, result.data, '', (name, path, value) => {
    const known = fields.knownSpelling(name);
    if (known !== null)
      misspelt.push(`${path.slice(0, MAX_PATH_LENGTH)} is no field of this protocol; write ${known}`);
    // Refused fields whose value asks for nothing are none that anyone misses.
    else if (value !== null && dropped.size < MAX_REPORTED_FIELDS)
      dropped.add(path.slice(0, MAX_PATH_LENGTH));
  }) as JsonObject;
  if (misspelt[0] !== undefined) return { problem: misspelt[0] };
  return { body, droppedFields: [...dropped] };
}
