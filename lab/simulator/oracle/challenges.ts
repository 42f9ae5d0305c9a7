import type { Task } from '../../../shared/contract/task/task.ts';
import type { Simulation } from '../simulation.ts';
import { OracleKnowledge } from './knowledge.ts';

/** Dollars that a challenge may take at the least, and its share of what the attempt cost. Written down here a second time on purpose. */
const LEAST_USD = 0.25;
const SHARE = 1;

type ReportViolation = (invariant: string, message: string) => void;

/** Work whose task asks for a challenge passes only after a challenger has said that it found nothing, or a person approved it. */
export function checkChallengedWork(of: Simulation, after: Task, broken: ReportViolation): void {
  const attempt = after.attempts.at(-1);
  const verdict = attempt?.verdict;
  if (!attempt || !verdict || verdict.verdict !== 'pass' || attempt.merge || attempt.redelivery) return;
  if (of.knowledge.planOf(after.id)?.challenge !== 'gate') return;
  if (of.knowledge.qualities.get(verdict.tree) === 'empty') return;
  const { knowledge } = of;
  if (knowledge.approvedTrees.has(OracleKnowledge.pair(after.id, verdict.tree))) return;
  if (knowledge.challenges.get(`${after.id}/${attempt.number}`) !== true)
    broken('no pass without an answer of the challenger', `${after.id}/${attempt.number} passed`);
}

/** A challenge is paid for once: its budget stays, and another one begins only after it has ended. */
export function checkChallengeBudget(before: Task, after: Task, broken: ReportViolation): void {
  for (const is of after.attempts) {
    const challenge = is.challenge;
    if (!challenge) continue;
    const name = `${after.id}/${is.number}`;
    const was = before.attempts.find(({ number }) => number === is.number)?.challenge;
    const most = Math.max(LEAST_USD, (is.cost_usd ?? 0) * SHARE) + (was?.metered_usage?.cost_usd ?? 0);
    if (!was && challenge.budget_micro_usd > Math.ceil(most * 1e6))
      broken(
        'a challenge keeps to its budget',
        `${name} has $${challenge.budget_micro_usd / 1e6} of $${most}`,
      );
    if (!was || challenge.requested_at !== was.requested_at) {
      if (was?.outcome === null) broken('one challenge at a time', `${name} is challenged again`);
      continue;
    }
    if (challenge.budget_micro_usd !== was.budget_micro_usd)
      broken('a challenge keeps to its budget', `the budget of ${name} has changed`);
    if (was.outcome !== null && challenge.outcome !== was.outcome)
      broken('the end of a challenge stays', `${name} was ${was.outcome}, and is ${challenge.outcome}`);
  }
}
