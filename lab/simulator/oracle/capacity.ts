import type { Task } from '../../../shared/contract/task/task.ts';
import type { TableWrite } from '../engines/simulated-table.ts';
import type { Simulation } from '../simulation.ts';

/** A function that has read that nobody waits may let a box in until its time is over. */
const LONGEST_FUNCTION_SECONDS = 35;
/** Of higher priorities, after which a lower one has its turn. */
const TURNS = 10;

const names = (item: TableWrite['after'], prefix: string): string[] =>
  Object.keys(item ?? {}).flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));

/** Room goes to what is urgent: nothing is let in while a higher priority is known to wait there, unless its turn has come. */
export function checkCapacityWrite(of: Simulation, { key, before, after }: TableWrite): void {
  const place = `${String(key['pk'])}/${String(key['sk'])}`;
  const known = new Set(names(before, 'box:'));
  const [box] = names(after, 'box:').filter((each) => !known.has(each));
  if (box === undefined) return;
  const priorityOf = (name: string): number => {
    const task = of.cloud.table
      .items()
      .find(({ id, sk }) => sk === 'task' && name.startsWith(`${String(id)}/`));
    return (task as unknown as Task | undefined)?.priority ?? 0;
  };
  const priority = priorityOf(box);
  const now = of.world.clock.now / 1_000;
  const urgent = names(before, 'wait:').find((name) => {
    const { since, until } = Object(before?.[`wait:${name}`]) as { since: number; until: number };
    return priorityOf(name) < priority && since <= now - LONGEST_FUNCTION_SECONDS && until >= now;
  });
  const letIn = of.knowledge.admittedPriorities.get(place) ?? [];
  of.knowledge.admittedPriorities.set(place, [...letIn, priority]);
  const passed = letIn.slice(letIn.lastIndexOf(priority) + 1).filter((each) => each < priority).length;
  if (urgent !== undefined && passed < TURNS)
    of.world.reportViolation(
      'room goes to what is urgent',
      `${box} is let in while ${urgent} waits for that room`,
    );
}
