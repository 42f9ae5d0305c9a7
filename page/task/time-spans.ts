import type { AttemptView, TaskView } from '../../shared/api/task-schemas.ts';

/** A stretch of time in the life of a task. */
export interface TimeSpan {
  readonly label: string;
  readonly kind: 'waiting' | 'agent' | 'gates' | 'gate' | 'person' | 'delivery';
  /** Milliseconds of Unix time; null: it goes on. */
  readonly start: number;
  readonly end: number | null;
  readonly note: string;
  /** 0: of the task; 1: of an attempt; 2: a part of that. */
  readonly depth: 0 | 1 | 2;
}

const at = (iso: string): number => Date.parse(iso);

/**
 * Gates run side by side. One without a start of its own is drawn from where checking began. What was
 * remembered took its time in the run that it is remembered of, and none here.
 */
function gatesOf(attempt: AttemptView, from: number): TimeSpan[] {
  return (attempt.verification?.gates ?? []).map(
    ({ name, outcome, duration_ms, start_offset_ms = 0, cached }) => ({
      label: name,
      kind: 'gate',
      start: from + start_offset_ms,
      end: from + start_offset_ms + (cached ? 0 : duration_ms),
      note: cached ? `${outcome}, from memory` : outcome.replaceAll('_', ' '),
      depth: 2,
    }),
  );
}

function spansOfAttempt(attempt: AttemptView, ended: number | null): TimeSpan[] {
  const { verification, report } = attempt;
  const started = at(attempt.started_at);
  const reported = report ? at(report.at) : null;
  const over = attempt.ended_at ? at(attempt.ended_at) : ended;
  const agent: TimeSpan = {
    label: `#${attempt.number} ${attempt.model ?? 'model not named'}`,
    kind: 'agent',
    start: started,
    end: reported ?? over,
    note: report ? report.status : (attempt.outcome ?? 'running'),
    depth: 1,
  };
  if (reported === null) return [agent];
  const judged = verification ? at(verification.at) : null;
  // The container reports how long it took; the time before was a wait.
  const began =
    verification && judged !== null ? Math.max(reported, judged - verification.duration_ms) : reported;
  const checking: TimeSpan[] = verification
    ? [
        ...(began - reported >= 1_000
          ? [
              {
                label: 'waiting for a container',
                kind: 'waiting' as const,
                start: reported,
                end: began,
                note: '',
                depth: 2 as const,
              },
            ]
          : []),
        {
          label: 'verification',
          kind: 'gates',
          start: began,
          end: judged,
          note: attempt.verdict?.verdict ?? '',
          depth: 2,
        },
        ...gatesOf(attempt, began),
      ]
    : attempt.outcome === null
      ? [{ label: 'verification', kind: 'gates', start: reported, end: null, note: '', depth: 2 }]
      : [];
  return [agent, ...checking];
}

/** The chain of a task as stretches of time, in the order in which they began. */
export function taskTimeSpans(task: TaskView, attempts: readonly AttemptView[]): TimeSpan[] {
  const created = at(task.created_at);
  const ended = task.ended_at ? at(task.ended_at) : null;
  const firstStart = attempts[0] ? at(attempts[0].started_at) : ended;
  const waiting: TimeSpan = {
    label: task.blocked_reason ? 'waiting for another task' : 'waiting for an agent',
    kind: 'waiting',
    start: created,
    end: firstStart,
    note: '',
    depth: 0,
  };
  const { hold, review, delivery } = task;
  const person: TimeSpan[] = hold
    ? [
        {
          label: 'waiting for a reviewer',
          kind: 'person',
          start: at(hold.since),
          end: null,
          note: '',
          depth: 0,
        },
      ]
    : review
      ? [
          {
            label: `${review.decision} by ${review.by}`,
            kind: 'person',
            start: at(review.at),
            end: at(review.at),
            note: '',
            depth: 0,
          },
        ]
      : [];
  const delivered: TimeSpan[] = delivery
    ? [
        {
          label: 'delivery',
          kind: 'delivery',
          start: at(delivery.at),
          end: at(delivery.at),
          note: delivery.state,
          depth: 0,
        },
      ]
    : [];
  return [waiting, ...attempts.flatMap((attempt) => spansOfAttempt(attempt, ended)), ...person, ...delivered];
}
