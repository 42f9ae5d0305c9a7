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

export const GEMINI_FIELDS = new AllowedFields();
const object = GEMINI_FIELDS.object.bind(GEMINI_FIELDS) as AllowedFields['object'];

const blob = object({ mimeType: text, data: inlineData, displayName: text }).nullish();
const part = object({
  text,
  thought: scalar,
  thoughtSignature: text,
  inlineData: blob,
  mediaResolution: object({ level: text }).nullish(),
  functionCall: object({ id: text, name: text, args: opaque }).nullish(),
  functionResponse: object({
    id: text,
    name: text,
    response: opaque,
    willContinue: scalar,
    scheduling: text,
    parts: z.array(object({ inlineData: blob, fileData: refused(STORED_CONTENT_HINT) })).nullish(),
  }).nullish(),
  fileData: refused(STORED_CONTENT_HINT),
  executableCode: refused(`belongs to a tool that ${PROVIDER_TOOL_HINT}`),
  codeExecutionResult: refused(`belongs to a tool that ${PROVIDER_TOOL_HINT}`),
});
const content = object({ role: text, parts: z.array(part).nullish() });

const functionDeclaration = object({
  name: text,
  description: text,
  behavior: text,
  parameters: opaque,
  parametersJsonSchema: opaque,
  response: opaque,
  responseJsonSchema: opaque,
});
/** A tool is named by its field, so a field that is not known is refused here. */
const tool = z
  .record(z.string(), z.unknown())
  .superRefine((value, context) => {
    for (const name of Object.keys(value))
      if (name !== 'functionDeclarations')
        context.addIssue(`the tool ${name.slice(0, 100)} ${PROVIDER_TOOL_HINT}`);
  })
  .pipe(object({ functionDeclarations: z.array(functionDeclaration).nullish() }));

/** generateContent, streamGenerateContent and countTokens. The path names the model. */
export const GeminiRequest = object({
  contents: z.array(content),
  systemInstruction: content.nullish(),
  tools: z.array(tool).nullish(),
  toolConfig: object({
    functionCallingConfig: object({
      mode: text,
      allowedFunctionNames: z.array(z.string()).nullish(),
      streamFunctionCallArguments: scalar,
    }).nullish(),
  }).nullish(),
  safetySettings: z.array(object({ category: text, threshold: text, method: text })).nullish(),
  labels: scalars,
  generationConfig: object({
    temperature: scalar,
    topP: scalar,
    topK: scalar,
    seed: scalar,
    candidateCount: positiveInteger,
    maxOutputTokens: positiveInteger,
    stopSequences: z.array(z.string()).nullish(),
    presencePenalty: scalar,
    frequencyPenalty: scalar,
    responseLogprobs: scalar,
    logprobs: scalar,
    responseMimeType: text,
    responseSchema: opaque,
    responseJsonSchema: opaque,
    responseModalities: z.array(oneOf(/^TEXT$/, 'costs more; ask for TEXT')).nullish(),
    mediaResolution: text,
    thinkingConfig: object({
      includeThoughts: scalar,
      thinkingBudget: scalar,
      thinkingLevel: text,
    }).nullish(),
  }).nullish(),
  cachedContent: refused(STORED_CONTENT_HINT),
});
