import { nextRound, replanned, shouldReplan } from '../../contract/coordination/ledgers.ts';
import type { CoordinationName } from '../../contract/coordination/names.ts';
import { material } from '../../lib/material.ts';
import { ClarificationRequired, PlanReviewGated } from '../failures/thrown.ts';
import { authorityCues } from '../middleware/authority.ts';
import { unclearGoal } from './clarification.ts';
import { type CoordinationMiddleware, withMetadata } from './context.ts';

/** The boundary of a fact is made of nothing: a ledger that is derived again must be the same. */
const fenced = (label: string, text: string): string => material([{ label, text }], 'task-fact').text;

/** All there is, by the name that chains know it by. */
export const COORDINATION: Readonly<Record<CoordinationName, CoordinationMiddleware>> = {
  clarification_gate: {
    name: 'clarification_gate',
    before_decompose(context) {
      const reasons = unclearGoal(context.goal, context.criteria, context.settings.clarification_gate);
      if (reasons.length > 0) throw new ClarificationRequired(context.task_id, reasons);
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
        throw new PlanReviewGated(context.task_id, level ?? 'not named');
      return withMetadata(context, 'plan_review_gate', { gated: false, autonomy_level: level });
    },
  },
  progress_ledger: {
    name: 'progress_ledger',
    after_rollup: (context) => ({
      ...context,
      progress_ledger: nextRound(context.progress_ledger, context.rollup?.completed ?? 0, context.failed),
    }),
  },
  coordination_replan: {
    name: 'coordination_replan',
    after_rollup(context) {
      const { progress_ledger: ledger, settings, affordable } = context;
      if (settings.replan_strategy === 'noop' || !ledger || !shouldReplan(ledger, affordable))
        return { ...context, replan: null };
      return { ...context, replan: replanned(ledger) };
    },
  },
  authority_deference_coordination: {
    name: 'authority_deference_coordination',
    before_update_parent: (context) =>
      withMetadata(context, 'authority_deference_coordination', {
        detected_count: context.rollup ? authorityCues(context.rollup.text) : 0,
      }),
  },
};
