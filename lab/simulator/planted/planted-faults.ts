/**
 * A fault that is planted into one module of the control plane when it is loaded: code at its end, which may replace the module's
 * functions and the methods of its classes, or a piece of its text. What no longer fits fails loudly.
 */
export interface PlantedFault {
  /** Path from the root of the repository. */
  readonly module: string;
  readonly append?: string;
  readonly replace?: readonly [RegExp, string];
  /** The promises of which it must break one. */
  readonly breaks: readonly string[];
}

export const PLANTED_FAULTS = {
  'conditions of writes are dropped': {
    module: 'shared/store/task-store.ts',
    replace: [/`\$\{allowed\.ConditionExpression\}[^`]*`/, "'attribute_exists(pk)'"],
    breaks: [
      'versions count by one',
      'only known transitions',
      'an accepted report stays',
      'what was written of an attempt stays',
      'attempts are added one by one',
      'an ended attempt stays as it was',
      'runs only go up',
    ],
  },
  'any base is taken': {
    module: 'shared/control/task-commands/base-commit.ts',
    append: "requireSameBaseCommit = (task, named) => named ?? task.base_commit ?? '';",
    breaks: ['work is bound to the base of its task'],
  },
  'every verdict is a pass': {
    module: 'shared/control/verdict/reduce-to-verdict.ts',
    append: `const honest = deriveVerdictFromEvidence; deriveVerdictFromEvidence = (...given) => ({ ...honest(...given), verdict: 'pass' });`,
    breaks: [
      'delivered with a passing verdict',
      'verified by gates of ours',
      'the same failure twice changes something',
    ],
  },
  'delivery does not ask for a verdict': {
    module: 'shared/control/task-commands/deliver.ts',
    append: 'findDeliveryRefusal = () => null;',
    breaks: ['delivered with a passing verdict'],
  },
  'merged work is taken for judged': {
    module: 'shared/control/task-commands/merge-to-target.ts',
    append:
      'const honest = mergeAttempt; mergeAttempt = (of, target, said, now) => ({ ...honest(of, target, said, now), ...(said.artifact && { verification: { ...of.verification, tree: said.artifact.tree, base_commit: target }, verdict: { ...of.verdict, tree: said.artifact.tree, base_commit: target } }) });',
    breaks: ['merged work is judged anew', 'delivered with a passing verdict'],
  },
  'passed work is not delivered': {
    module: 'shared/control/task-commands/finish-task.ts',
    append: 'shouldDeliver = () => false;',
    breaks: ['passed work is delivered'],
  },
  'nobody asks the repository what became of a push': {
    module: 'shared/use-cases/deliver/find-pushed-branch.ts',
    replace: [/const there = [^;]*;/, 'const there = ((): string | null => null)();'],
    breaks: ['what was pushed is called delivered'],
  },
  'some writes are not followed, nor made up for': {
    module: 'shared/use-cases/cascade/task-write-effects.ts',
    append:
      'const honest = applyTaskWriteEffects; applyTaskWriteEffects = async (before, after, context) => after.version % 5 === 0 ? undefined : honest(before, after, context); repeatTaskProjections = async () => {};',
    breaks: [
      'no task is lost',
      'completions are counted once',
      'counters equal a recount',
      'every execution ends',
      'nothing hangs for hours',
    ],
  },
  // What the function of dead letters reads again is played by the engine of the stream.
  'what the ledger has given up is never read again': {
    module: 'lab/simulator/engines/simulated-stream.ts',
    replace: [
      /const isDone = await this\.#options/,
      "const isDone = this.#options.name === 'ledger' || await this.#options",
    ],
    breaks: ['each completion in the ledger once', 'each end is told'],
  },
  'what the conductor has given up is never read again': {
    module: 'lab/simulator/engines/simulated-stream.ts',
    replace: [
      /const isDone = await this\.#options/,
      "const isDone = this.#options.name === 'conductor' || await this.#options",
    ],
    breaks: ['counters equal a recount', 'completions are counted once', 'no task is lost'],
  },
  'what waits is not woken': {
    module: 'shared/use-cases/cascade/task-write-effects.ts',
    append: 'recheckTaskWaitingForFiles = async () => {};',
    breaks: ['no task is lost', 'nothing hangs for hours'],
  },
  'a fix-up is named and never made': {
    module: 'shared/use-cases/cascade/task-write-effects.ts',
    append: 'makeFixUp = async () => {};',
    breaks: ['each fix-up is made once', 'no task is lost', 'nothing hangs for hours'],
  },
  'a fix-up has another id each time': {
    module: 'shared/control/task-commands/fix-up.ts',
    replace: [/return `fix-\$\{sha256\(/, 'return `fix-${sha256(String(Math.random()) + '],
    breaks: ['each fix-up is made once', 'no task is lost', 'nothing hangs for hours'],
  },
  'fix-ups are made that nobody asked for': {
    module: 'shared/control/task-commands/fix-up.ts',
    append: 'const honest = fixUpRefusal; fixUpRefusal = (task) => honest({ ...task, max_fix_ups: 9 });',
    breaks: ['fix-ups within the limit'],
  },
  'a part of what a task depends on is always enough': {
    module: 'shared/contract/task/partial-start.ts',
    append:
      "evaluatePartialDependencyStart = (_policy, all) => ({ missing_dependencies: all.filter(({ status }) => status !== 'done').map(({ id }) => id), completed_share: 1, threshold: 0 });",
    breaks: ['nothing starts before what it depends on'],
  },
  'the reconciler looks at nothing': {
    module: 'shared/use-cases/operate/reconcile-tasks.ts',
    append: 'reconcileTasks = async () => ({ checked: 0, changed: 0, failed: [] });',
    breaks: ['no task is lost', 'every execution ends', 'nothing hangs for hours', 'every run comes to rest'],
  },
  'files are taken without asking': {
    module: 'shared/store/file-locks.ts',
    append: 'FileLockStore.prototype.acquire = async () => null;',
    breaks: ['files held once'],
  },
  'a message launches a box each time that it comes': {
    module: 'shared/use-cases/containers/launch-container.ts',
    replace: [/const repeated = await [^;]*;/, 'const repeated = null as ContainerLaunch | null;'],
    breaks: ['one box of an attempt at a time', 'no task is lost', 'every run comes to rest'],
  },
  'boxes are started without asking for room': {
    module: 'shared/store/running-containers.ts',
    replace: [/ AND \(attribute_not_exists\(#used\) OR #used <= :room\)/, ' AND :room = :room'],
    breaks: ['launches stay under the quota'],
  },
  'urgent work waits like any other': {
    module: 'shared/control/admission/admission-control.ts',
    replace: [/isPassedOver \? .* : ask\.priority,/, 'isPassedOver ? 0 : 0,'],
    breaks: ['room goes to what is urgent'],
  },
  'an execution that was lost is waited for all day': {
    module: 'shared/control/task-commands/deadline.ts',
    replace: [/const START_GRACE_SECONDS = 30;/, 'const START_GRACE_SECONDS = 80_000;'],
    breaks: ['nothing hangs for hours'],
  },
  'nobody does a step whose execution was lost': {
    module: 'shared/use-cases/operate/reconcile-tasks.ts',
    replace: [/if \(!context\.isAfterRestart && isStepDue\(seen\.task, context\)\)/, 'if (seen === null)'],
    breaks: ['no task is lost', 'nothing hangs for hours', 'every run comes to rest'],
  },
  'a box is asked for once': {
    module: 'shared/use-cases/operate/reconcile-tasks.ts',
    replace: [
      /if \(isAwaitingLaunch\(task\)\) return recoverBox\(task, context\);/,
      'if (isAwaitingLaunch(task)) return task;',
    ],
    breaks: ['no task is lost', 'nothing hangs for hours', 'every run comes to rest'],
  },
  'models are asked by each execution that comes by': {
    module: 'shared/control/task-commands/record-verification.ts',
    replace: [/if \(judging\?\.run === run[^;]*;/, 'void isOwn;'],
    breaks: ['models are asked once at a time'],
  },
  'a lease is taken for over without a look at its beats': {
    module: 'shared/store/heartbeats.ts',
    append:
      'HeartbeatStore.prototype.endLease = async () => true; const honest = HeartbeatStore.prototype.read; HeartbeatStore.prototype.read = async function (...of) { const beat = await honest.apply(this, of); return beat && { ...beat, lease_until: null }; };',
    breaks: ['a lease that was promised is kept'],
  },
  'room is never free again': {
    module: 'shared/store/running-containers.ts',
    append: 'RunningContainerStore.prototype.release = async () => {};',
    breaks: [
      'no task is lost',
      'no room is kept for nothing',
      'every run comes to rest',
      'nothing hangs for hours',
    ],
  },
  'the budget is not looked at': {
    module: 'shared/control/cascade/decide-after-attempt.ts',
    append: 'budgetExhaustedReason = () => null;',
    breaks: ['attempts within the budget', 'costs within the budget'],
  },
  'any attempt may report': {
    module: 'shared/control/task-commands/task-change.ts',
    append: 'requireRunningAttempt = (task) => currentAttempt(task);',
    breaks: [
      'a report counts for its own attempt',
      'what was written of an attempt stays',
      'an ended attempt stays as it was',
    ],
  },
  'completions are counted each time that they are seen': {
    module: 'shared/store/task-counts.ts',
    replace: [
      /if \(counted === null\) return .*;/,
      `if (counted === null) {
        if (!fact.completion) return { fields: null, result: false };
        const of = fact.completion.verified ? 'verified' : 'unverified';
        return { fields: { ...tally, [of]: tally[of] + 1 }, result: false };
      }`,
    ],
    breaks: ['completions are counted once'],
  },
  'the ledger leaves rows out': {
    module: 'shared/control/ledger/derive-rows.ts',
    append:
      "const honest = deriveRecordRows; deriveRecordRows = (before, after, models) => honest(before, after, models).filter(({ table }) => table !== 'verification_nudges' || after.version % 4 > 0);",
    breaks: ['each completion in the ledger once'],
  },
  'time alone allows anything': {
    module: 'shared/contract/approval/risk.ts',
    replace: [/risk === 'high' \|\| risk === 'critical'/, 'risk.length > 99'],
    breaks: ['a person allows what is of high risk'],
  },
  'agents allow themselves whatever their level is': {
    module: 'shared/contract/approval/autonomy.ts',
    replace: [/\(risk === 'low' \|\| risk === 'medium'\) &&/, "level === 'semi' ||"],
    breaks: ['a person allows what is of high risk'],
  },
  'who does the work may allow what it asks for': {
    module: 'shared/control/task-commands/approval-request.ts',
    replace: [
      /if \(about\.requested_by === by\)([\s\S]*)return \{ \.\.\.made, excludedDecider: by \};/,
      'if (Math.random() < 0)$1return made;',
    ],
    breaks: ['nobody allows their own work'],
  },
  'nobody looks when the time to decide is over': {
    module: 'shared/control/task-commands/approval-request.ts',
    append: 'applyApprovalDeadline = () => null;',
    breaks: ['no task is lost', 'nothing hangs for hours', 'every run comes to rest'],
  },
  'a yes to a request is not followed': {
    module: 'shared/use-cases/submit/work-requests.ts',
    append: 'applyWorkRequestEffects = async () => {};',
    breaks: ['no request is lost', 'nothing hangs for hours'],
  },
  'a reject leaves the task that was made meanwhile': {
    module: 'shared/use-cases/submit/work-requests.ts',
    append: 'cancelRequestedTask = async () => {};',
    breaks: ['a reject wins'],
  },
  'a yes that was said before the no counts after it': {
    module: 'shared/store/work-requests.ts',
    replace: [
      /buildLifecycleEventCondition\((WORK_REQUEST_LIFECYCLE, moved\.event, present\.version)\)/,
      "{ ...buildLifecycleEventCondition($1), ConditionExpression: ':version = :version AND attribute_exists(#status)' }",
    ],
    breaks: ['a request moves as it may', 'a reject wins'],
  },
  'what a request must fulfil is lost on the way': {
    module: 'shared/control/intake/commands.ts',
    append:
      'const honest = buildTaskSubmission; buildTaskSubmission = (request) => ({ ...honest(request), acceptance_criteria: [] });',
    breaks: ['what was asked for is carried on'],
  },
  "a function's role forgets who waits for a task": {
    module: 'infra/table-access.ts',
    replace: [/(cascade: \{[^}]*)indexes: \['byWait'\],/, '$1'],
    breaks: ['functions do what their roles allow'],
  },
  'what failed twice is done once more as it was': {
    module: 'shared/control/cascade/repeated-failure.ts',
    append: 'applyRepeatedFailureStrategy = (_task, _attempt, wanted) => wanted;',
    breaks: ['the same failure twice changes something'],
  },
  'a lost challenger leaves the verdict as it was': {
    module: 'shared/control/verdict/apply-challenge.ts',
    append:
      "const honest = decideChallengeEffect; decideChallengeEffect = (entry, of) => entry.outcome === 'could_not_run' ? { verdict: 'pass', reason: null } : honest(entry, of);",
    breaks: ['no pass without an answer of the challenger'],
  },
  'a missing exam lets work pass': {
    module: 'shared/control/verdict/reduce-to-verdict.ts',
    replace: [
      /const gates = evidence\.gates\.filter\(isDecisiveGate\);/,
      "const gates = evidence.gates.filter((gate) => isDecisiveGate(gate) && !(gate.name === 'acceptance_tests' && gate.outcome === 'could_not_run'));",
    ],
    breaks: ['delivered with a passing verdict', 'verified by gates of ours'],
  },
  'a task is a foundation for whoever waits for it': {
    module: 'shared/use-cases/cascade/foundation-dependents.ts',
    replace: [/const MIN_DEPENDENTS = 3;/, 'const MIN_DEPENDENTS = 1;'],
    breaks: ['a foundation is what others build on'],
  },
} as const satisfies Readonly<Record<string, PlantedFault>>;
