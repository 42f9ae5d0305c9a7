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

export const RESPONSES_FIELDS = new AllowedFields();
const object = RESPONSES_FIELDS.object.bind(RESPONSES_FIELDS) as AllowedFields['object'];

const CLIENT_TOOLS =
  /^(function|custom|local_shell|shell|apply_patch|namespace|tool_search|computer|computer_use_preview)$/;
const tool: z.ZodType = z.lazy(() => toolFields);
const toolFields = object({
  type: oneOf(CLIENT_TOOLS, PROVIDER_TOOL_HINT),
  name: text,
  description: text,
  parameters: opaque,
  output_schema: opaque,
  strict: scalar,
  defer_loading: scalar,
  format: object({ type: text, syntax: text, definition: text }).nullish(),
  tools: z.array(tool).nullish(),
  execution: oneOf(/^client$/, PROVIDER_TOOL_HINT).nullish(),
  environment: object({ type: oneOf(/^local$/, PROVIDER_TOOL_HINT) }).nullish(),
  display_width: scalar,
  display_height: scalar,
}).superRefine((value, context) => {
  const [field, allowed] =
    value.type === 'shell'
      ? (['environment', value.environment?.type === 'local'] as const)
      : (['execution', value.type !== 'tool_search' || value.execution === 'client'] as const);
  const wanted = field === 'environment' ? '{"type":"local"}' : '"client"';
  if (!allowed)
    context.addIssue(`the tool ${value.type} ${PROVIDER_TOOL_HINT}, or set ${field} to ${wanted}`);
});

const content = object({
  type: oneOf(
    /^(input_text|output_text|text|refusal|summary_text|reasoning_text|encrypted_content|input_image|input_file|computer_screenshot)$/,
    'is no type of content that this gateway can bound the cost of',
  ).optional(),
  text,
  refusal: text,
  encrypted_content: text,
  image_url: dataUrl,
  detail: text,
  filename: text,
  file_data: inlineData,
  file_url: refused(STORED_CONTENT_HINT),
  file_id: refused(STORED_CONTENT_HINT),
  // Results of a shell.
  stdout: text,
  stderr: text,
  outcome: opaque,
});
const contents = z.union([z.string(), z.array(content)]).nullish();

const ITEM_TYPES =
  /^(message|reasoning|compaction|function_call|function_call_output|custom_tool_call|custom_tool_call_output|local_shell_call|local_shell_call_output|shell_call|shell_call_output|apply_patch_call|apply_patch_call_output|computer_call|computer_call_output|tool_search_call|tool_search_output|additional_tools)$/;
const item = object({
  type: oneOf(
    ITEM_TYPES,
    'is no type of input that this gateway can bound the cost of; set store to false and send whole items',
  ).optional(),
  id: text,
  role: text,
  status: text,
  phase: text,
  content: contents,
  summary: contents,
  encrypted_content: text,
  call_id: text,
  name: text,
  namespace: text,
  arguments: opaque,
  input: text,
  output: z.union([z.string(), z.array(content), content]).nullish(),
  action: opaque,
  actions: opaque,
  operation: opaque,
  execution: text,
  pending_safety_checks: opaque,
  acknowledged_safety_checks: opaque,
  max_output_length: scalar,
  tools: z.array(tool).nullish(),
})
  // The API takes an item that has no more than an id for a reference to a stored one.
  .refine(
    ({ type, role, content: said }) => (type !== undefined && type !== 'message') || (role && said != null),
    {
      error: `an item without content ${STORED_CONTENT_HINT}`,
    },
  )
  // Without its content in the request, the id would name what the provider keeps.
  .transform(({ id, ...rest }) =>
    (rest.type === 'reasoning' || rest.type === 'compaction') && !rest.encrypted_content
      ? rest
      : { ...rest, id },
  );

/** POST /v1/responses. */
export const ResponsesRequest = object({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(item)]),
  instructions: text,
  max_output_tokens: positiveInteger,
  max_tool_calls: scalar,
  stream: scalar,
  stream_options: object({ include_obfuscation: scalar }).nullish(),
  store: scalar,
  temperature: scalar,
  top_p: scalar,
  top_logprobs: scalar,
  truncation: text,
  user: text,
  safety_identifier: text,
  prompt_cache_key: text,
  prompt_cache_retention: text,
  metadata: scalars,
  client_metadata: scalars,
  include: z.array(z.string()).nullish(),
  parallel_tool_calls: scalar,
  reasoning: object({ effort: text, summary: text, generate_summary: text, context: text }).nullish(),
  text: object({
    verbosity: text,
    format: object({ type: text, name: text, description: text, strict: scalar, schema: opaque }).nullish(),
  }).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([
      z.string(),
      object({
        type: text,
        name: text,
        namespace: text,
        mode: text,
        tools: z.array(object({ type: text, name: text, namespace: text })).nullish(),
      }),
    ])
    .nullish(),
  service_tier: oneOf(/^(auto|default|flex)$/, 'costs more; set service_tier to default').nullish(),
  background: refused('goes on after the answer; set background to false'),
  previous_response_id: refused(STORED_CONTENT_HINT),
  conversation: refused(STORED_CONTENT_HINT),
  prompt: refused(STORED_CONTENT_HINT),
});
