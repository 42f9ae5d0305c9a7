import { TABLE_ITEM_KEY_PREFIXES } from '../../../shared/contract/resource-names.ts';
import type { Simulation } from '../simulation.ts';
import { OracleKnowledge } from './knowledge.ts';

/** Looks at a push at the moment at which it happens: nothing goes out that was not passed, on this very base, as this very tree. */
export function checkPush(of: Simulation, task: string, branch: string, base: string, tree: string): void {
  const { cloud, knowledge, remote, world } = of;
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
  const isRecorded = cloud.table
    .items()
    .some(
      ({ pk, sk }) =>
        (pk === `${TABLE_ITEM_KEY_PREFIXES.passedTree}${task}` ||
          pk === `${TABLE_ITEM_KEY_PREFIXES.approvedTree}${task}`) &&
        sk === `${base}#${tree}`,
    );
  if (!isRecorded)
    world.reportViolation(
      'delivered with a recorded acceptance',
      `${what}, and no item says that it is accepted`,
    );
  const there = remote.branches.get(branch);
  if (there !== undefined && there.tree !== tree)
    world.reportViolation('delivered once', `${what} where another tree of it was pushed before`);
}
