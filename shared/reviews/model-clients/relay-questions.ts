import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { buildFenceInstructions } from '../../lib/fenced-prompt.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { AskReviewModel, ModelAnswer, ReviewerModelQuestion } from '../engine/ask-model-port.ts';
import { extractJsonObject } from './language-model.ts';

/** Folders of a relay: questions are written to the one, and answers are read from the other. */
export interface RelayFolders {
  /** Each question is written once, as DIGEST.question.json. */
  readonly record?: string | undefined;
  /** DIGEST.json holds an answer, with or without words around it. */
  readonly answers?: string | undefined;
}

/** Stands for the boundary in what is recorded: it differs each time, and is no part of a digest. */
const BOUNDARY = 'BOUNDARY';

/** Returns what a model is told and shown, without what differs each time. */
function toRecord({
  prompt,
  fencedText,
  boundary,
  answerSchema,
  pictures = [],
}: ReviewerModelQuestion<z.ZodType>) {
  return {
    prompt: { id: prompt.id, version: prompt.version },
    system: `${prompt.text}\n\n${buildFenceInstructions(BOUNDARY)}`,
    user: fencedText.replaceAll(boundary, BOUNDARY),
    pictures: pictures.map(({ png }) => sha256(png)),
    answer_schema: z.toJSONSchema(answerSchema, { io: 'input' }),
  };
}

/** The name of a question: the same prompt about the same material has the same one, whatever its delimiters. */
export const computeQuestionDigest = (question: ReviewerModelQuestion<z.ZodType>): string =>
  sha256(JSON.stringify(toRecord(question))).slice(0, 32);

/** Asks no model: writes questions down, and reads the answers that somebody has put beside them. */
export function createQuestionRelay({ record, answers }: RelayFolders): AskReviewModel {
  if (record !== undefined) mkdirSync(record, { recursive: true });
  return async <Schema extends z.ZodType>(
    _model: unknown,
    question: ReviewerModelQuestion<Schema>,
  ): Promise<ModelAnswer<z.output<Schema>>> => {
    const digest = computeQuestionDigest(question);
    const spent = { calls: 0, tokens: null, ms: 0 };
    const file = record === undefined ? null : join(record, `${digest}.question.json`);
    if (file !== null && !existsSync(file))
      writeFileSync(file, `${JSON.stringify({ digest, ...toRecord(question) }, null, 2)}\n`);
    const answer = answers === undefined ? null : join(answers, `${digest}.json`);
    if (answer === null || !existsSync(answer))
      return {
        ...spent,
        code: 'no_answer',
        outcome: 'could_not_run',
        why: `no answer to question ${digest}`,
      };
    try {
      const value = question.answerSchema.parse(JSON.parse(extractJsonObject(readFileSync(answer, 'utf8'))));
      return { ...spent, value };
    } catch (error) {
      const why = error instanceof Error ? error.message.slice(0, 500) : String(error);
      return { ...spent, code: 'unreadable_answer', outcome: 'could_not_run', why: `${digest}.json: ${why}` };
    }
  };
}
