import { extractJsonMiddleware, wrapLanguageModel } from 'ai';
import type { JudgeModel } from '../../contract/models/judge-models.ts';
import type { ModelApiKeySource } from '../../contract/models/model-key.ts';

/** Reads a key; null where it is not. */
export type ReadModelApiKey = (key: ModelApiKeySource) => Promise<string | null>;

/** Most bytes of an answer: many times what the longest one that we ask for has. */
const MAX_ANSWER_BYTES = 4 * 1_048_576;

/** No redirects, and no answer without an end. */
const guarded: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' });
  let bytes = 0;
  const counted = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > MAX_ANSWER_BYTES)
          controller.error(new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted ?? null, response);
};

/** A key that should be there and is not: nobody can be asked. */
export class MissingModelKeyError extends Error {}

type Model = Parameters<typeof wrapLanguageModel>[0]['model'];

/** Most braces of an answer that are tried as the beginning of its object: each try may read the rest of the answer. */
const MAX_OBJECT_STARTS = 200;

/**
 * Returns the objects that begin at the outermost braces of a text; braces in strings do not count. None where there are more
 * beginnings than are tried.
 */
function findTopLevelObjects(text: string): string[] {
  const found: string[] = [];
  let tried = 0;
  for (let start = text.indexOf('{'); start >= 0; ) {
    if (++tried > MAX_OBJECT_STARTS) return [];
    const end = findObjectEnd(text, start);
    const candidate = end === null ? null : text.slice(start, end);
    const isObject = candidate !== null && isJson(candidate);
    if (isObject) found.push(candidate);
    start = text.indexOf('{', isObject && end !== null ? end : start + 1);
  }
  return found;
}

function findObjectEnd(text: string, start: number): number | null {
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (isInString && character === '\\') index++;
    else if (character === '"') isInString = !isInString;
    else if (isInString) continue;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return index + 1;
  }
  return null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the one JSON object of an answer, whether it stands alone, in a fence of Markdown or between sentences. An answer
 * with several objects is left as it is: none of them is the answer.
 */
export function extractJsonObject(answer: string): string {
  if (isJson(answer)) return answer;
  const [only, ...others] = findTopLevelObjects(answer);
  return only === undefined || others.length > 0 ? answer : only;
}

/** The model as the SDK calls it; the one JSON object of an answer is the answer. @throws MissingModelKeyError */
export const createLanguageModel = async (model: JudgeModel, readKey: ReadModelApiKey) =>
  wrapLanguageModel({
    model: await plainModelOf(model, readKey),
    middleware: extractJsonMiddleware({ transform: extractJsonObject }),
  });

/** Providers are loaded when they are used: a deployment needs one or two of them. */
async function plainModelOf(model: JudgeModel, readKey: ReadModelApiKey): Promise<Model> {
  if (model.provider === 'bedrock') {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    const { region = process.env['AWS_REGION'] ?? 'us-east-1', url: baseURL } = model;
    return createAmazonBedrock({ region, fetch: guarded, ...(baseURL && { baseURL }) })(model.model);
  }
  const apiKey = model.key ? await readKey(model.key) : '';
  if (apiKey === null)
    throw new MissingModelKeyError(`the key of ${model.provider} is not where it should be`);
  const common = { apiKey, fetch: guarded };
  switch (model.provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ ...common, ...(model.url && { baseURL: `${model.url}/v1` }) })(model.model);
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ ...common, ...(model.url && { baseURL: model.url }) })(model.model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI({ ...common, ...(model.url && { baseURL: `${model.url}/v1beta` }) })(
        model.model,
      );
    }
    case 'openrouter': {
      const { createOpenRouter } = await import('@openrouter/ai-sdk-provider');
      return createOpenRouter({ ...common, ...(model.url && { baseURL: model.url }) })(model.model);
    }
    case 'openai_compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      // Without this the schema is dropped with no more than a warning.
      const options = { name: 'own', baseURL: model.url, supportsStructuredOutputs: true };
      return createOpenAICompatible({ ...common, ...options })(model.model);
    }
  }
}
