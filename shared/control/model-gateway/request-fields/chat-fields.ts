import * as z from 'zod';
import {
  AllowedFields,
  dataUrl,
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

export const CHAT_FIELDS = new AllowedFields();
const object = CHAT_FIELDS.object.bind(CHAT_FIELDS) as AllowedFields['object'];

const cacheControl = object({ type: text, ttl: text }).nullish();
const functionFields = object({
  name: text,
  description: text,
  parameters: opaque,
  strict: scalar,
});
const calledFunction = object({ name: text, arguments: text });

const part = object({
  type: oneOf(
    /^(text|refusal|image_url|input_audio|file)$/,
    'is no type of content that this gateway can bound the cost of',
  ),
  text,
  refusal: text,
  image_url: object({ url: dataUrl, detail: text }).nullish(),
  input_audio: object({ data: inlineData, format: text }).nullish(),
  file: object({ filename: text, file_data: inlineData, file_id: refused(STORED_CONTENT_HINT) }).nullish(),
  cache_control: cacheControl,
});

const message = object({
  role: text,
  name: text,
  content: z.union([z.string(), z.array(part)]).nullish(),
  refusal: text,
  reasoning: text,
  reasoning_content: text,
  reasoning_details: opaque,
  tool_call_id: text,
  tool_calls: z
    .array(
      object({
        id: text,
        type: text,
        index: scalar,
        function: calledFunction.nullish(),
        custom: object({ name: text, input: text }).nullish(),
      }),
    )
    .nullish(),
  function_call: calledFunction.nullish(),
  cache_control: cacheControl,
  audio: refused(STORED_CONTENT_HINT),
});

const named = object({ name: text });

/** POST /v1/chat/completions. */
export const ChatRequest = object({
  model: z.string().min(1),
  messages: z.array(message),
  max_tokens: positiveInteger,
  max_completion_tokens: positiveInteger,
  n: positiveInteger,
  stream: scalar,
  stream_options: object({ include_usage: scalar, include_obfuscation: scalar }).nullish(),
  store: scalar,
  temperature: scalar,
  top_p: scalar,
  top_k: scalar,
  min_p: scalar,
  presence_penalty: scalar,
  frequency_penalty: scalar,
  repetition_penalty: scalar,
  logit_bias: scalars,
  logprobs: scalar,
  top_logprobs: scalar,
  seed: scalar,
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  user: text,
  safety_identifier: text,
  prompt_cache_key: text,
  prompt_cache_retention: text,
  metadata: scalars,
  reasoning_effort: text,
  reasoning: object({ effort: text, max_tokens: scalar, exclude: scalar, enabled: scalar }).nullish(),
  thinking: object({ type: text }).nullish(),
  verbosity: text,
  response_format: object({
    type: text,
    json_schema: object({ name: text, description: text, strict: scalar, schema: opaque }).nullish(),
  }).nullish(),
  parallel_tool_calls: scalar,
  tools: z
    .array(
      object({
        type: oneOf(/^(function|custom)$/, PROVIDER_TOOL_HINT),
        function: functionFields.nullish(),
        custom: object({
          name: text,
          description: text,
          format: object({
            type: text,
            grammar: object({ syntax: text, definition: text }).nullish(),
          }).nullish(),
        }).nullish(),
        cache_control: cacheControl,
      }),
    )
    .nullish(),
  tool_choice: z
    .union([
      z.string(),
      object({
        type: text,
        function: named.nullish(),
        custom: named.nullish(),
        allowed_tools: object({
          mode: text,
          tools: z.array(object({ type: text, function: named.nullish() })).nullish(),
        }).nullish(),
      }),
    ])
    .nullish(),
  functions: z.array(functionFields).nullish(),
  function_call: z.union([z.string(), named]).nullish(),
  service_tier: oneOf(/^(auto|default|flex)$/, 'costs more; set service_tier to default').nullish(),
  web_search_options: refused('makes the provider search the web, which costs extra; leave it out'),
});
