import type { JudgeModels } from '../../shared/contract/models/judge-models.ts';
import type { AskReviewModel } from '../../shared/reviews/engine/ask-model-port.ts';

/** Models that answer questions about a patch. Their answers are opinions: they add doubt, never proof. */
export interface Judge {
  /** Which model does what; their names are part of what an answer is remembered by. */
  readonly models: JudgeModels;
  readonly ask: AskReviewModel;
}

/** The task that a patch is for. */
export interface PatchTask {
  /** What whoever asked foresees to change; absent or null: nothing was said. */
  readonly expectedChanges?: readonly string[] | null;
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** The model that wrote the patch; absent or null: nobody knows. */
  readonly writer?: string | null;
}
