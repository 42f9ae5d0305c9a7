import type { Simulation } from '../simulation.ts';
import { OracleKnowledge } from './knowledge.ts';

/** Looks at a push at the moment at which it happens: nothing goes out that was not passed, on this very base, as this very tree. */
export function checkPush(of: Simulation, task: string, branch: string, base: string, tree: string): void {
  const { knowledge, remote, world } = of;
  knowledge.pushes++;
  const plan = knowledge.planOf(task);
  const found = knowledge.treeOutcomes.get(OracleKnowledge.pair(base, tree));
  const what = `${task} pushes ${knowledge.qualities.get(tree) ?? 'unknown'} work`;
  world.logEvent(() => what);
  if (!remote.wasMain(base, knowledge.submittedAt.get(knowledge.fixedTaskIds.get(task) ?? task) ?? 0))
    world.reportViolation(
      'delivered on a base of the platform',
      `${what} on a base that the base ref never was at`,
    );
  const isPassed =
    found === 'passed' ||
    (found === 'unchecked' && plan?.deliverUnverified === true) ||
    knowledge.approvedTrees.has(OracleKnowledge.pair(task, tree));
  if (!isPassed)
    world.reportViolation(
      'delivered with a passing verdict',
      `${what}, of which gates said: ${found ?? 'nothing'}, and no person approved it`,
    );
  const there = remote.branches.get(branch);
  if (there !== undefined && there.tree !== tree)
    world.reportViolation('delivered once', `${what} where another tree of it was pushed before`);
}
