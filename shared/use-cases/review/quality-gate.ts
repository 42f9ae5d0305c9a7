import type { Evidence } from '../../contract/evidence/schema.ts';
import { overlap } from '../../contract/submission/file-overlap.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { cut } from '../../lib/cut.ts';
import type { Piece } from '../../lib/material.ts';
import { type Breaker, REJECTIONS, stateOf } from '../../reviews/judging/breaker.ts';
import { preFlight } from '../../reviews/judging/pre-flight.ts';

/** What an attempt brought, and what was seen of it. */
export interface Brought {
  readonly task: Task;
  readonly attempt: Attempt;
  readonly evidence: Evidence;
}

/** Bytes of what the agent says of its work, and of the list of files. */
const SAID = 16_000;
const FILES = 4_000;

/** What the quality gate is shown beside what all judges are. */
export const toMark = ({ task, attempt, evidence }: Brought, now: Date): Piece[] => [
  { label: 'what the agent says of its work', text: cut(attempt.report?.summary ?? '(nothing)', SAID) },
  {
    label: 'files of the work',
    text: cut(
      [
        ...task.files.map(
          (file) =>
            `named by the task: ${file} (${overlap([file], evidence.changed_files) ? '' : 'not '}changed)`,
        ),
        ...evidence.changed_files.map((file) => `changed: ${file}`),
      ].join('\n'),
      FILES,
    ),
  },
  { label: 'date of today', text: now.toISOString().slice(0, 10) },
];

/** Tools that an agent has used, as far as that is known: who has asked no model has used none. */
const toolCalls = ({ task, attempt: { model, witnessed } }: Brought): number | null =>
  task.adapter?.kind !== 'command' && model !== null && witnessed?.calls === 0 ? 0 : null;

/** Why a model is not asked for marks, or null. What can be seen without one counts first, and against no model. */
export async function whyUnmarked(
  brought: Brought,
  {
    breaker,
    now,
  }: { readonly breaker: (model: string) => Promise<Breaker | null>; readonly now: () => Date },
): Promise<{ readonly outcome: 'failed' | 'inert'; readonly because: string } | null> {
  const { task, attempt, evidence } = brought;
  const rejected = preFlight({
    targets: task.files,
    changed: evidence.changed_files,
    description: task.description,
    toolCalls: toolCalls(brought),
  });
  if (rejected !== null) return { outcome: 'failed', because: rejected };
  if (attempt.model === null) return null;
  const { state, until } = stateOf(await breaker(attempt.model), now());
  if (state !== 'open') return null;
  const because = `the last ${REJECTIONS} works of ${attempt.model} were rejected: until ${until} none of it is marked`;
  return { outcome: 'inert', because };
}
