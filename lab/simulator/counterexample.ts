import type { SimulationPlan, TaskPlan } from './simulation-plan.ts';

/** A run that broke a promise, as small as it could be made. */
export interface Counterexample {
  readonly seed: number;
  readonly run: number;
  readonly invariant: string;
  readonly message: string;
  /** What was planned. */
  readonly given: readonly string[];
  /** What happened. */
  readonly story: readonly string[];
}

function task(plan: TaskPlan, index: number): string {
  const works = plan.attempts.map(
    ({ quality, reportedStatus, attack, seconds, approvalRequest }) =>
      `${seconds} s for ${quality} work${approvalRequest === null ? '' : `, asks for ${approvalRequest}`}${reportedStatus === 'completed' ? '' : `, says ${reportedStatus}`}${attack === 'none' ? '' : `, tries ${attack}`}`,
  );
  const more = [
    plan.runner,
    plan.dependsOn.length > 0 && `after ${plan.dependsOn.map((each) => `T${each}`).join(' and ')}`,
    plan.files.length > 0 && `files ${plan.files.join(' and ')}`,
    plan.pushRefused && 'the remote takes no push of it',
    plan.lostDeliveries.length > 0 && `deliver boxes are gone after ${plan.lostDeliveries.join(', ')}`,
    plan.deliverUnverified && 'deliver unverified',
    plan.large && 'very large',
    plan.fixUps > 0 && `${plan.fixUps} fix-ups`,
    plan.dependencyPolicy !== 'wait' && `starts with a part of them (${plan.dependencyPolicy})`,
    plan.asksModel && 'a model is asked',
    plan.challenge !== 'off' && `challenge: ${plan.challenge}`,
    plan.queued && 'goes onto the main branch',
    plan.requestMode !== null && `asked for (${plan.requestMode})`,
  ];
  return `given T${index} at ${plan.submittedAt} s (${more.filter(Boolean).join('; ')}): ${works.join(', then ')}`;
}

/** What a plan lets happen, one thing a line. */
export const describePlan = (plan: SimulationPlan): string[] => [
  ...plan.tasks.map(task),
  ...plan.actions.map(
    ({ at, kind, task: index }) => `given at ${at} s an operator's ${kind} (of task ${index})`,
  ),
  ...plan.powerCuts.map((at) => `given at ${at} s a power cut`),
  ...plan.mainMoves.map((at) => `given at ${at} s that the main branch moves`),
  ...plan.outages.map(
    ({ service, from, seconds }) => `given that ${service} is down from ${from} s for ${seconds} s`,
  ),
  ...plan.faults.map(({ call, fault }) => `given that call ${call} of the run ${fault.replace('_', ' ')}`),
  ...(
    [
      ['lostStarts', 'are acknowledged and never run'],
      ['doubleStarts', 'run twice'],
      ['diedStarts', 'die on the way'],
    ] as const
  ).flatMap(([share, what]) =>
    plan[share] > 0 ? [`given that ${plan[share] * 100} % of the executions ${what}`] : [],
  ),
  ...(plan.redelivery > 0
    ? [`given that ${plan.redelivery * 100} % of what a stream delivers comes twice`]
    : []),
  `given calls of up to ${plan.latency} ms and indexes up to ${plan.indexLag} ms behind`,
];

/** The events, numbered; a row of heartbeats is one. */
export function formatStory(story: readonly string[]): string[] {
  const kept: string[] = [];
  for (const line of story) {
    const what = line.slice(12).replace(/ v\d+/, '');
    if (/is in_progress, run/.test(what) && kept.at(-1)?.slice(12).replace(/ v\d+/, '') === what) kept.pop();
    kept.push(line);
  }
  return kept.map((line, index) => `${String(index + 1).padStart(4)}. ${line}`);
}
