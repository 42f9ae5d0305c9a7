import * as z from 'zod';
import {
  AllowedFields,
  inlineData,
  oneOf,
  opaque,
  PROVIDER_TOOL_HINT,
  positiveInteger,
  refused,
  STORED_CONTENT_HINT,
  scalar,
  scalars,
  text,
} from './allowed-fields.ts';

export const ANTHROPIC_FIELDS = new AllowedFields();
const object = ANTHROPIC_FIELDS.object.bind(ANTHROPIC_FIELDS) as AllowedFields['object'];

const cacheControl = object({ type: text, ttl: text, scope: text }).nullish();

const block: z.ZodType = z.lazy(() => blockFields);
const content = z.union([z.string(), z.array(block)]).nullish();

const source = object({
  type: oneOf(
    /^(base64|text|content)$/,
    'refers to content elsewhere; send the content itself with the type base64, text or content',
  ),
  media_type: text,
  data: inlineData,
  content,
  url: refused(STORED_CONTENT_HINT),
  file_id: refused(STORED_CONTENT_HINT),
});

/** Content of a message. One schema for all types: what a field costs does not depend on the type beside it. */
const blockFields = object({
  type: oneOf(
    /^(text|image|document|search_result|thinking|redacted_thinking|tool_use|tool_result|tool_reference)$/,
    'is no type of content that this gateway can bound the cost of; send text, image, document or tool results',
  ),
  text,
  thinking: text,
  signature: text,
  data: inlineData,
  id: text,
  name: text,
  input: opaque,
  tool_use_id: text,
  tool_name: text,
  is_error: scalar,
  content,
  source: z.union([z.string(), source]).optional(),
  title: text,
  context: text,
  citations: z
    .union([object({ enabled: scalar }), z.array(z.unknown()).transform(() => undefined)])
    .nullish(),
  cache_control: cacheControl,
  file_id: refused(STORED_CONTENT_HINT),
});

/** Tools that the client runs; those without a type are the client's own. */
const tool = object({
  type: oneOf(/^(custom|bash_\d+|text_editor_\d+|computer_\d+|memory_\d+)$/, PROVIDER_TOOL_HINT).optional(),
  name: text,
  description: text,
  input_schema: opaque,
  input_examples: opaque,
  strict: scalar,
  eager_input_streaming: scalar,
  defer_loading: scalar,
  max_characters: scalar,
  display_width_px: scalar,
  display_height_px: scalar,
  display_number: scalar,
  enable_zoom: scalar,
  cache_control: cacheControl,
});

const format = object({ type: text, schema: opaque }).nullish();

/** POST /v1/messages and /v1/messages/count_tokens. */
export const AnthropicRequest = object({
  model: z.string().min(1),
  messages: z.array(object({ role: text, content })),
  system: content,
  max_tokens: positiveInteger,
  metadata: scalars,
  stop_sequences: z.array(z.string()).nullish(),
  stream: scalar,
  temperature: scalar,
  top_k: scalar,
  top_p: scalar,
  thinking: object({ type: text, budget_tokens: scalar, display: text }).nullish(),
  output_config: object({ effort: text, format }).nullish(),
  output_format: format,
  cache_control: cacheControl,
  tools: z.array(tool).nullish(),
  tool_choice: object({ type: text, name: text, disable_parallel_tool_use: scalar }).nullish(),
  context_management: object({
    edits: z
      .array(
        object({
          type: oneOf(/^clear_\w+$/, 'makes the provider call the model again; leave this edit out'),
          keep: opaque,
          trigger: opaque,
          clear_at_least: opaque,
          clear_tool_inputs: opaque,
          exclude_tools: opaque,
        }),
      )
      .nullish(),
  }).nullish(),
  service_tier: oneOf(/^(standard_only|auto)$/, 'costs more; set service_tier to standard_only').nullish(),
  speed: oneOf(/^standard$/, 'costs more; leave speed out').nullish(),
  inference_geo: oneOf(/^global$/, 'costs more; leave inference_geo out').nullish(),
  mcp_servers: refused('is read by the provider; connect MCP servers to the client instead'),
  container: refused(STORED_CONTENT_HINT),
});
