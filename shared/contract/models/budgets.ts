import * as z from 'zod';

const usd = z.number().positive().max(1_000_000);

/** Dollars that may go to models; what is not set is not limited. Days and months are of UTC. */
export const Budgets = z.strictObject({
  chain_usd: usd.optional().describe('One round of a task: from its first attempt or a retry to its end.'),
  task_usd: usd.optional().describe('A task over all its rounds.'),
  repository_usd: usd.optional().describe('All tasks of one repository, by day.'),
  day_usd: usd.optional().describe('The whole deployment, by day.'),
  deployment_usd: usd.optional().describe('The whole deployment, by calendar month.'),
});
export type Budgets = z.infer<typeof Budgets>;

/** Does anything need to be counted beyond single tasks? */
export const hasBudgetsBeyondTask = ({ repository_usd, day_usd, deployment_usd }: Budgets): boolean =>
  repository_usd !== undefined || day_usd !== undefined || deployment_usd !== undefined;

/** Money in the counters is whole millionths of a dollar. */
export const toMicroUsd = (dollars: number): number => Math.ceil(dollars * 1e6);
export const formatMicroUsd = (micro: number): string => `$${(micro / 1e6).toFixed(4)}`;
