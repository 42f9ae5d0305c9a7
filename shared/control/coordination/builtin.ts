import type { CoordinationMiddlewareName } from '../../contract/coordination/coordination-names.ts';
import {
  advanceProgressLedger,
  carryProgressLedgerIntoReplan,
  shouldReplan,
} from '../../contract/coordination/ledgers.ts';
import { fenceUntrustedText } from '../../lib/fenced-prompt.ts';
import { ClarificationRequiredError, PlanReviewRequiredError } from '../failures/thrown-errors.ts';
import { countAuthorityCues } from '../middleware/authority-cues.ts';
import { unclearGoalReasons } from './clarification.ts';
import { addCoordinationMetadata, type CoordinationMiddleware } from './context.ts';

/** The boundary of a fact is made of nothing: a ledger that is derived again must be the same. */
const fenced = (label: string, text: string): string =>
  fenceUntrustedText([{ label, text }], 'task-fact').text;

/** All there is, by the name that chains know it by. */
export const COORDINATION_MIDDLEWARE: Readonly<Record<CoordinationMiddlewareName, CoordinationMiddleware>> = {
  clarification_gate: {
    name: 'clarification_gate',
    before_decompose(context) {
      const reasons = unclearGoalReasons(context.goal, context.criteria, context.settings.clarification_gate);
      if (reasons.length > 0) throw new ClarificationRequiredError(context.task_id, reasons);
      return context;
    },
  },
  task_ledger: {
    name: 'task_ledger',
    before_dispatch(context) {
      const text = context.plan?.text.trim() ?? '';
      if (!context.plan || text === '') return context;
      const facts = [context.goal, ...context.criteria].filter((fact) => fact.trim() !== '');
      return {
        ...context,
        task_ledger: {
          plan_text: text,
          known_facts: facts.map((fact) => fenced('fact', fact)),
          educated_guesses: [],
          plan_version: context.plan.version,
          created_at: context.plan.at,
          superseded_at: null,
        },
      };
    },
  },
  plan_review_gate: {
    name: 'plan_review_gate',
    before_dispatch(context) {
      const level = context.autonomy;
      if (level === null || level === 'supervised' || level === 'locked')
        throw new PlanReviewRequiredError(context.task_id, level ?? 'not named');
      return addCoordinationMetadata(context, 'plan_review_gate', { gated: false, autonomy_level: level });
    },
  },
  progress_ledger: {
    name: 'progress_ledger',
    after_rollup: (context) => ({
      ...context,
      progress_ledger: advanceProgressLedger(
        context.progress_ledger,
        context.taskResults?.completed ?? 0,
        context.failedPhases,
      ),
    }),
  },
  coordination_replan: {
    name: 'coordination_replan',
    after_rollup(context) {
      const { progress_ledger: ledger, settings, isReplanAffordable } = context;
      if (settings.replan_strategy === 'noop' || !ledger || !shouldReplan(ledger, isReplanAffordable))
        return { ...context, replanLedger: null };
      return { ...context, replanLedger: carryProgressLedgerIntoReplan(ledger) };
    },
  },
  authority_deference_coordination: {
    name: 'authority_deference_coordination',
    before_update_parent: (context) =>
      addCoordinationMetadata(context, 'authority_deference_coordination', {
        detected_count: context.taskResults ? countAuthorityCues(context.taskResults.text) : 0,
      }),
  },
};
