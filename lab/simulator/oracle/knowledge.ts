import type { TaskPlan, WorkQuality } from '../simulation-plan.ts';

/** What honest gates have found of a tree on a base. */
export type TreeOutcome = 'passed' | 'failed' | 'unclear' | 'unchecked';

/** What is known of a run from outside of the control plane: what was sent, what was answered, what was really done. */
export class OracleKnowledge {
  /** Plans by the id of the task that each has become. */
  readonly plans = new Map<string, TaskPlan>();
  /** The task that was submitted, by the id of each fix-up of it. */
  readonly fixedTaskIds = new Map<string, string>();
  /** What was planned for a task; a fix-up has the plan of what it mends. */
  planOf(id: string): TaskPlan | undefined {
    return this.plans.get(this.fixedTaskIds.get(id) ?? id);
  }
  readonly acceptedIds = new Map<number, string>();
  /** Ids that the API has said it has accepted. */
  readonly accepted = new Set<string>();
  /** When the request for a task was first sent. */
  readonly submittedAt = new Map<string, number>();
  /** By base and tree. */
  readonly treeOutcomes = new Map<string, TreeOutcome>();
  /** Approvals that a person has sent, by task and tree. */
  readonly approvedTrees = new Set<string>();
  /** Tokens of agents, by task, in the order in which they were handed out. */
  readonly agentTokens = new Map<string, string[]>();
  /** Attempts whose tokens a tree was handed in with, by task and tree. */
  readonly handedInTrees = new Map<string, Set<number>>();
  /** Reports that the API has accepted, as `<task>/<attempt>`. */
  readonly acceptedReports = new Set<string>();
  /** Until when a heartbeat was answered that the lease runs, in epoch seconds, by `<task>/<attempt>`. */
  readonly leases = new Map<string, number>();
  /** Tasks whose cancellation the API has confirmed. */
  readonly cancelled = new Set<string>();
  /** Words on approvals that the API has answered with success, as `<task>/<number>`. */
  readonly approvalDecisions = new Map<string, 'approved' | 'rejected'>();
  /** Requests that the API has said are rejected, and those that somebody has said yes to. */
  readonly rejectedRequests = new Set<string>();
  readonly approvedRequests = new Set<string>();
  /** Attempts that have asked for leave, as `<task>/<attempt>`. */
  readonly approvalRequests = new Set<string>();
  /** Work that a deliver box has put on top of what the main branch had become, by task and tree. */
  readonly merged = new Set<string>();
  /** Qualities of the trees that agents have made. */
  readonly qualities = new Map<string, WorkQuality>();
  /** Deliver boxes that had leave to push, by task. */
  readonly deliveries = new Map<string, number>();
  /** Priorities of the boxes that were let in, in their order, by the item that counts their vCPUs. */
  readonly admittedPriorities = new Map<string, readonly number[]>();
  /** Containers of challengers that began, by `<task>/<attempt>`. */
  readonly challengers = new Map<string, number>();
  /** What a challenger has sent of an attempt, by `<task>/<attempt>`: true, that it found nothing. */
  readonly challenges = new Map<string, boolean>();
  /** When models were last asked, by `<task>/<attempt>/<run>`. */
  readonly lastModelCalls = new Map<string, number>();
  /** Writes of tasks, and pushes, that were looked at. */
  writes = 0;
  pushes = 0;

  handIn(task: string, tree: string, token: string): void {
    const attempt = Number(/\.(\d+)\.[^.]*$/.exec(token)?.[1]);
    const key = OracleKnowledge.pair(task, tree);
    this.handedInTrees.set(key, new Set([...(this.handedInTrees.get(key) ?? []), attempt]));
  }

  static pair = (base: string, tree: string): string => `${base} ${tree}`;
}
