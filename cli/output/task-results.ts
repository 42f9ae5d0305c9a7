import type { AttemptView, TaskView } from '../../shared/api/task-schemas.ts';
import { estimatedCostUsd } from '../../shared/contract/task/attempt-cost.ts';
import { formatCost, formatDollars } from '../../shared/lib/format.ts';
import type { TerminalColors } from '../io.ts';
import { renderTable } from './table.ts';
import { chooseStatusStyle, chooseVerdictStyle } from './task-style.ts';

export interface TaskWithAttempts {
  readonly task: TaskView;
  readonly attempts: readonly AttemptView[];
}

/** Returns the short name of a model: its tier, else its id. */
const modelName = ({ tier, model }: AttemptView): string => tier ?? model ?? '?';

/** Renders the results of ended tasks, one row each. */
export const renderTaskResults = (
  results: readonly TaskWithAttempts[],
  width: number | undefined,
  pc: TerminalColors,
): string =>
  renderTable(
    [
      { title: 'TASK' },
      { title: 'TITLE', shrinkTo: 16, optional: true },
      { title: 'STATUS' },
      { title: 'ATTEMPTS', align: 'right' },
      { title: 'MODELS', shrinkTo: 12 },
      { title: 'COST', align: 'right' },
      { title: 'SAVED', align: 'right' },
      { title: 'VERDICT' },
    ],
    results.map(({ task, attempts }) => [
      { text: task.id, style: pc.bold },
      task.title,
      { text: task.status, style: chooseStatusStyle(pc, task.status, task.flagged_unverified) },
      String(task.attempt_count),
      attempts.map(modelName).join('→'),
      attempts.length === 0 ? '' : formatCost(task.cost_usd, estimatedCostUsd(attempts)),
      task.saved_vs_direct_opus_usd === null ? '' : formatDollars(task.saved_vs_direct_opus_usd),
      {
        // A verdict without executed or checked evidence is only unverified.
        text: task.flagged_unverified ? 'unverified' : (task.verdict ?? ''),
        style: task.flagged_unverified ? pc.yellow : chooseVerdictStyle(pc, task.verdict),
      },
    ]),
    width,
    pc.dim,
  );
