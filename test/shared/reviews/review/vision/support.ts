import type { Judgement } from '../../../../../shared/contract/judgement/judgement.ts';
import type { JudgeModels } from '../../../../../shared/contract/models/judge-models.ts';
import { ReviewSettings } from '../../../../../shared/contract/review/review-settings.ts';
import { type Screenshot, screenshotObjectKey } from '../../../../../shared/contract/screenshot.ts';
import type { Task } from '../../../../../shared/contract/task/task.ts';
import { DEFAULT_WORKFLOW } from '../../../../../shared/control/workflow/builtin-workflows.ts';
import { resolveWorkflow } from '../../../../../shared/control/workflow/resolve-workflow.ts';
import { sha256 } from '../../../../../shared/lib/sha256.ts';
import type { AskReviewModel } from '../../../../../shared/reviews/engine/ask-model-port.ts';
import { runWorkflowReviews } from '../../../../../shared/use-cases/review/run-workflow-reviews.ts';
import { artifact, FIXED_NOW, gate, taskInReview } from '../../../../support/builders.ts';

export const shotOf = (name: string, png: Buffer, width: number, height: number): Screenshot => ({
  name,
  path: '/',
  width,
  height,
  sha256: sha256(png),
  bytes: png.length,
});

/** A task whose workflow has the review that is given. */
export function reviewed(review: object, request: object = {}): Task {
  const of = taskInReview(
    { artifact: artifact() },
    { acceptance_criteria: ['the page is blue'], ...request },
  );
  const workflow = resolveWorkflow(DEFAULT_WORKFLOW, of, { from: 'builtin', rubrics: [] });
  return { ...of, resolved_workflow: { ...workflow, review: ReviewSettings.parse(review) } };
}

interface Looked {
  readonly task: Task;
  /** Each with its PNG, as it lies in the bucket. */
  readonly pictures?: readonly (readonly [Screenshot, Buffer])[];
  readonly gates?: readonly ReturnType<typeof gate>[];
  readonly models?: JudgeModels;
  readonly ask?: AskReviewModel;
  readonly autonomy?: 'full' | 'semi' | 'supervised' | 'locked';
  readonly spent?: string | null;
}

const NOBODY: AskReviewModel = () => Promise.reject(new Error('nobody is to be asked'));

/** What the stage says of work with these pictures. */
export async function look({
  task,
  pictures = [],
  gates,
  models = {},
  ask = NOBODY,
  autonomy = 'full',
  spent = null,
}: Looked): Promise<Judgement[]> {
  const [attempt] = task.attempts;
  if (!attempt) throw new Error('there is an attempt');
  const kept = new Map(
    pictures.map(([shot, png]) => [screenshotObjectKey(task.id, attempt.number, shot), png]),
  );
  const taken = gate({ name: 'screenshots', screenshots: pictures.map(([shot]) => shot) });
  const objects = {
    getRange: async (key: string, _offset: number, most: number) => {
      const png = kept.get(key);
      return png ? { body: png.subarray(0, most), bytes: png.length } : null;
    },
  };
  const pieces = [{ kind: 'task' as const, label: 'title of the task', text: task.title }];
  return runWorkflowReviews(task, attempt, { gates: [...(gates ?? [taken])] }, pieces, {
    ...{
      ask,
      models,
      objects,
      autonomy,
      budgetRefusal: spent === null ? null : ({ code: 'over_budget', why: spent } as const),
    },
    now: () => FIXED_NOW,
  });
}
