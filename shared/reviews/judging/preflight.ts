import { findFileOverlap } from '../../contract/submission/file-overlap.ts';
import type { PreflightRejection } from '../engine/decision-reason.ts';

/** What a task asked for and what came, as far as that can be told without a model. */
export interface PreflightCheckInput {
  /** Files and folders that the task names. */
  readonly targets: readonly string[];
  readonly changed: readonly string[];
  readonly description: string;
  /** Of the agent; null: nobody counted them. */
  readonly toolCalls: number | null;
}

/** Words of a description that ask for a file: a verb and then a noun on one line, or a phrase of its own. */
const ASKS_FOR_A_FILE =
  /\b(?:write|create|generate|produce|save)\b.*\b(?:files?|reports?|documents?|output)\b|\b(?:write_file|write to|save to|output to)\b/i;

/**
 * Returns why work is rejected before a model is asked, or null. The first that holds counts: files that were named and
 * not touched, an agent that used no tool, a description that asks for a file where none was written.
 */
export function findPreflightRejection({
  targets,
  changed,
  description,
  toolCalls,
}: PreflightCheckInput): PreflightRejection | null {
  if (targets.length > 0 && findFileOverlap(targets, changed) === null)
    return { code: 'targets_untouched', targets };
  if (toolCalls === 0) return { code: 'no_tool_used' };
  return changed.length === 0 && ASKS_FOR_A_FILE.test(description) ? { code: 'no_file_written' } : null;
}
