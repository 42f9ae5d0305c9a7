import { isJsonObject, type JsonObject } from '../../../lib/json-object.ts';

/** More tokens than any priced model reads in one call. */
export const MAX_CONTEXT_TOKENS = 1_100_000;
/** Tokens of one picture at the most, however few bytes it has: at full resolution, by the largest model. */
export const MAX_IMAGE_TOKENS = 16_384;
/** Tokens that a provider adds to the prompt of a call, and for each tool that it describes itself. */
const TOOL_PROMPT_TOKENS = 2_000;
const DESCRIBED_BY_PROVIDER =
  /^((bash|text_editor|computer|memory)_\d+|local_shell|shell|apply_patch|computer|computer_use_preview|tool_search)$/;

const PICTURE_TYPES: ReadonlySet<unknown> = new Set([
  'image',
  'input_image',
  'image_url',
  'computer_screenshot',
]);
/** Pages, sound and film: a few bytes of them can fill the context. */
const UNBOUNDED_TYPES: ReadonlySet<unknown> = new Set(['document', 'input_file', 'file', 'input_audio']);
const TEXT_SOURCES: ReadonlySet<unknown> = new Set(['text', 'content']);

/** Fields whose value is media, whatever type is given beside them. */
const hasPicture = (value: JsonObject): boolean => value['image_url'] !== undefined;
const hasFile = (value: JsonObject): boolean =>
  value['file_data'] !== undefined || value['input_audio'] !== undefined;

/** Media type of a source of Anthropic's protocol that is base64; null for other sources. */
function sourceMediaType(source: unknown): string | null {
  const type = isJsonObject(source) && source['type'] === 'base64' ? source['media_type'] : null;
  return typeof type === 'string' ? type : null;
}

/** Media type of a Gemini part; null for what is no data. */
function inlineMediaType(value: JsonObject): string | null {
  const data = value['inlineData'];
  return isJsonObject(data) ? String(data['mimeType']) : null;
}

interface ContentCounts {
  pictures: number;
  providerTools: number;
  isUnbounded: boolean;
}

/** Looks everywhere, also into arguments of tools: a wrong count makes a reservation larger and never smaller. */
function countContent(value: unknown, counts: ContentCounts): void {
  if (Array.isArray(value)) for (const each of value) countContent(each, counts);
  if (!isJsonObject(value)) return;
  const type = value['type'];
  const mediaType = inlineMediaType(value) ?? sourceMediaType(value['source']);
  const source = value['source'];
  const isText = isJsonObject(source) && TEXT_SOURCES.has(source['type']);
  const isPicture =
    mediaType === null ? PICTURE_TYPES.has(type) || hasPicture(value) : mediaType.startsWith('image/');
  if (isPicture) counts.pictures++;
  else if ((UNBOUNDED_TYPES.has(type) && !isText) || hasFile(value) || mediaType !== null)
    counts.isUnbounded = true;
  else if (typeof type === 'string' && DESCRIBED_BY_PROVIDER.test(type)) counts.providerTools++;
  for (const each of Object.values(value)) countContent(each, counts);
}

/** Input tokens of a request at the most. No text has more tokens than bytes; media and tools of the provider can have. */
export function countContentTokens(body: JsonObject, bytes: number): number {
  const counts: ContentCounts = { pictures: 0, providerTools: 0, isUnbounded: false };
  countContent(body, counts);
  const bounded =
    bytes + counts.pictures * MAX_IMAGE_TOKENS + (1 + counts.providerTools) * TOOL_PROMPT_TOKENS;
  return counts.isUnbounded ? Math.max(bounded, MAX_CONTEXT_TOKENS) : bounded;
}
