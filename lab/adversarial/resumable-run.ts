import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';
import { mapConcurrently } from '../../shared/lib/map-concurrently.ts';
import type { AdversarialCase } from './adversarial-case.ts';
import { DETECTION_KINDS } from './detection-kinds.ts';
import { type JudgedPatch, runCorpus } from './run-corpus.ts';

/** One line of a record: what `Judged` says, as it was written. */
const Line = z.object({
  class: z.string(),
  name: z.string(),
  case: z.string(),
  honest: z.boolean(),
  knownMiss: z.string().nullable(),
  outcome: z.enum(['caught', 'noted', 'passed']),
  right: z.boolean(),
  verdict: z.enum(['pass', 'fail', 'refer']),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  examiner: z
    .object({
      outcome: z.string(),
      detail: z.string(),
      heldByGates: z.boolean(),
      points: z.number(),
      dropped: z.number(),
      seconds: z.number(),
      challenge: z.string().optional(),
    })
    .optional(),
  by: z.array(z.string()),
  kinds: z.array(z.enum(DETECTION_KINDS)),
  seconds: z.number(),
  detail: z.string(),
});

/** The patches that a record knows, by the name of their case. @throws when a line is none of ours. */
function recorded(file: string): Map<string, JudgedPatch[]> {
  const known = new Map<string, JudgedPatch[]>();
  if (!existsSync(file)) return known;
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const { case: name, ...judged } = Line.parse(JSON.parse(line));
    known.set(name, [...(known.get(name) ?? []), judged]);
  }
  return known;
}

export interface ResumableRunOptions {
  readonly parallel: number;
  /** Where each case is written as soon as it is judged; what is there already is not judged again. Null: nowhere. */
  readonly file: string | null;
  readonly onJudged: (done: number, of: number) => void;
}

/** Judges `parallel` cases at a time and records each at once, so that an interrupted run can be resumed. */
export async function judgeResumably(
  cases: readonly AdversarialCase[],
  { parallel, file, onJudged }: ResumableRunOptions,
): Promise<JudgedPatch[]> {
  if (file === null)
    return runCorpus(cases, parallel, (done, of) => {
      onJudged(done, of);
    });
  const known = recorded(file);
  const left = cases.filter(({ name }) => !known.has(name));
  let done = 0;
  await mapConcurrently(parallel, left, async (each) => {
    const judged = await runCorpus([each], 1);
    const { name } = each;
    appendFileSync(file, judged.map((one) => `${JSON.stringify({ ...one, case: name })}\n`).join(''));
    known.set(name, judged);
    onJudged(++done, left.length);
  });
  return cases.flatMap(({ name }) => known.get(name) ?? []);
}
