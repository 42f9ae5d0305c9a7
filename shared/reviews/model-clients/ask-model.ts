import { setTimeout as sleep } from 'node:timers/promises';
import {
  APICallError,
  generateText,
  type LanguageModel,
  NoObjectGeneratedError,
  Output,
  type UserContent,
} from 'ai';
import * as z from 'zod';
import type { JudgeModel } from '../../contract/models/judge-models.ts';
import { normaliseModelName } from '../../contract/models/model-prices.ts';
import { buildFenceInstructions, fenceUntrustedText } from '../../lib/fenced-prompt.ts';
import { truncateText } from '../../lib/truncate.ts';
import type {
  AskReviewModel,
  ModelAnswer,
  PromptPicture,
  ReviewerModelQuestion,
} from '../engine/ask-model-port.ts';
import type { NoOpinionOutcome, UnusableAnswerReason } from '../engine/missing-opinion.ts';
import { createLanguageModel, MissingModelKeyError, type ReadModelApiKey } from './language-model.ts';

/** Calls for one answer: transient errors are tried again, an answer of another shape is asked for once more. */
const MAX_CALLS = 3;
/** Milliseconds before the second and third; up to as much again is added, so that judges do not come back together. */
const BACKOFF_MS = [500, 2_000];
const MAX_REASON = 500;

interface Options {
  readonly readKey: ReadModelApiKey;
  /** Of a test: 0 to 1. */
  readonly random?: () => number;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A name without the vendor before it and the snapshot behind it. */
const bare = (name: string): string => normaliseModelName(name.slice(name.lastIndexOf('/') + 1));

/** Who says that it has answered. The SDK fills in the name that was asked for where Gemini has it in a field of its own. */
const Version = z.object({ modelVersion: z.string() });
function answeredBy({ modelId, body }: { readonly modelId: string; readonly body?: unknown }): string {
  return Version.safeParse(body).data?.modelVersion ?? modelId;
}

const shortly = (error: unknown): string =>
  truncateText((error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' '), MAX_REASON);

/** Milliseconds that a provider wants to be left alone for, or null. */
function retryAfter(error: APICallError, now: number): number | null {
  const said = error.responseHeaders?.['retry-after'];
  if (said === undefined) return null;
  const seconds = Number(said);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(said) - now;
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

/** What a model is told, and then shown: each picture is a part of its own, never text. */
const contentOf = (text: string, pictures: readonly PromptPicture[]): UserContent => [
  { type: 'text', text },
  ...pictures.map(({ png }) => ({ type: 'file' as const, mediaType: 'image/png', data: png })),
];

/** One question to one model, by the SDK of the vendors' protocols. */
class ModelConversation<Schema extends z.ZodType> {
  #calls = 0;
  #tokens: { input: number; output: number } | null = null;
  readonly #began = performance.now();
  readonly #asked = new Date().toISOString();
  readonly #model: LanguageModel;
  readonly #question: ReviewerModelQuestion<Schema>;
  readonly #options: Options;
  readonly #signal: AbortSignal;

  constructor(model: LanguageModel, question: ReviewerModelQuestion<Schema>, options: Options) {
    this.#model = model;
    this.#question = question;
    this.#options = options;
    this.#signal = AbortSignal.timeout(question.timeoutMs);
  }

  async answer(name: string): Promise<ModelAnswer<z.output<Schema>>> {
    let repair = '';
    for (;;) {
      try {
        return await this.#once(name, repair);
      } catch (error) {
        if (this.#signal.aborted)
          return this.#without(
            'no_answer',
            'timed_out',
            `no answer within ${this.#question.timeoutMs / 1_000} s`,
          );
        if (NoObjectGeneratedError.isInstance(error)) {
          this.#count(error.usage);
          const wrong = shortly(error.cause ?? error);
          // One round: a model that cannot answer in the shape asked for has not judged.
          if (repair !== '' || this.#calls >= MAX_CALLS)
            return this.#without('unreadable_answer', 'could_not_run', `the answer cannot be read: ${wrong}`);
          repair = this.#repairOf(error.text ?? '', wrong);
          continue;
        }
        if (!APICallError.isInstance(error) || !error.isRetryable)
          return this.#without(
            'no_answer',
            APICallError.isInstance(error) ? 'could_not_run' : 'infra_failed',
            `the provider says no: ${shortly(error)}`,
          );
        if (!(await this.#waited(error)))
          return this.#without('no_answer', 'infra_failed', `the provider is in trouble: ${shortly(error)}`);
      }
    }
  }

  async #once(name: string, repair: string): Promise<ModelAnswer<z.output<Schema>>> {
    const {
      prompt,
      fencedText: shown,
      boundary,
      pictures = [],
      answerSchema: schema,
      maxTokens,
    } = this.#question;
    this.#calls++;
    const result = await generateText({
      model: this.#model,
      instructions: `${prompt.text}\n\n${buildFenceInstructions(boundary)}`,
      messages: [{ role: 'user', content: contentOf(`${shown}${repair}`, pictures) }],
      output: Output.object({ schema }),
      maxOutputTokens: maxTokens,
      // Retries are counted here, with the rest of the time.
      maxRetries: 0,
      include: { responseBody: true },
      abortSignal: this.#signal,
    });
    this.#count(result.usage);
    if (result.finishReason === 'content-filter')
      return this.#without('declined', 'could_not_run', 'the model refused to answer');
    const answered = answeredBy(result.response);
    if (bare(answered) !== bare(name))
      return this.#without(
        'no_answer',
        'infra_failed',
        `another model answered: ${truncateText(answered, 100)}, not ${name}`,
      );
    const value = schema.parse(result.output);
    return { ...this.#spent(), value };
  }

  /** Waits before another call; false where there is no time, or no call, left. */
  async #waited(error: APICallError): Promise<boolean> {
    if (this.#calls >= MAX_CALLS) return false;
    const own = (BACKOFF_MS[this.#calls - 1] ?? 0) * (1 + (this.#options.random ?? Math.random)());
    const ms = Math.max(own, retryAfter(error, Date.now()) ?? 0);
    if (performance.now() - this.#began + ms >= this.#question.timeoutMs) return false;
    const pause = this.#options.pause ?? ((time, signal) => sleep(time, undefined, { signal }));
    return pause(ms, this.#signal).then(
      () => true,
      () => false,
    );
  }

  /** What was said is text from outside, like everything else. */
  #repairOf(said: string, wrong: string): string {
    const pieces = [{ label: 'your last answer', text: said.slice(0, 4_000) }];
    return `\n\nYour last answer had another shape than the one asked for (${wrong}). Answer again, in that shape.\n\n${fenceUntrustedText(pieces, this.#question.boundary).text}`;
  }

  #count(usage: { inputTokens?: number | undefined; outputTokens?: number | undefined } | undefined): void {
    const { inputTokens, outputTokens } = usage ?? {};
    if (!isCount(inputTokens) || !isCount(outputTokens)) return;
    const before = this.#tokens ?? { input: 0, output: 0 };
    this.#tokens = { input: before.input + inputTokens, output: before.output + outputTokens };
  }

  #spent() {
    return {
      calls: this.#calls,
      tokens: this.#tokens,
      ms: Math.round(performance.now() - this.#began),
      asked_at: this.#asked,
    };
  }

  #without(
    code: UnusableAnswerReason['code'],
    outcome: NoOpinionOutcome,
    why: string,
  ): ModelAnswer<z.output<Schema>> {
    return { ...this.#spent(), code, outcome, why };
  }
}

const isCount = (value: number | undefined): value is number =>
  Number.isSafeInteger(value) && (value ?? -1) >= 0;

/** Lets at most so many calls of one model run at the same time; the others wait in their order. */
class ModelLanes {
  readonly #waiting = new Map<string, { running: number; readonly queue: (() => void)[] }>();

  async run<T>({ provider, model, limits }: JudgeModel, work: () => Promise<T>): Promise<T> {
    const most = limits?.max_concurrent;
    if (most === undefined) return work();
    const name = `${provider}:${model}`;
    const lane = this.#waiting.get(name) ?? { running: 0, queue: [] };
    this.#waiting.set(name, lane);
    if (lane.running >= most) await new Promise<void>((resolve) => lane.queue.push(resolve));
    else lane.running++;
    try {
      return await work();
    } finally {
      const next = lane.queue.shift();
      if (next) next();
      else lane.running--;
    }
  }
}

/** The port to models, by the vendors' own protocols. Never throws for what a provider does. */
export function createAskModel(options: Options): AskReviewModel {
  const lanes = new ModelLanes();
  return async (model, question) => {
    try {
      const languageModel = await createLanguageModel(model, options.readKey);
      return await lanes.run(model, () =>
        new ModelConversation(languageModel, question, options).answer(model.model),
      );
    } catch (error) {
      return {
        code: 'no_answer',
        outcome: error instanceof MissingModelKeyError ? 'could_not_run' : 'infra_failed',
        why: shortly(error),
        calls: 0,
        tokens: null,
        ms: 0,
      };
    }
  };
}
