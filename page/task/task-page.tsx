import { useEffect, useRef, useState } from 'preact/hooks';
import type * as z from 'zod';
import type { AttemptList, TaskView } from '../../shared/api/task-schemas.ts';
import { estimatedCostUsd } from '../../shared/contract/task/attempt-cost.ts';
import { formatAge, formatCost, formatDollars, formatPercent } from '../../shared/lib/format.ts';
import { ApiProblemError, TokenExpiredError } from '../api/api-errors.ts';
import { useApiPolling } from '../api/use-poll.ts';
import { escapeToOneLine } from '../components/escape-text.ts';
import { formatTime, shortCommit } from '../components/format.ts';
import { Pill } from '../components/pill.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import type { ViewProps } from '../shell/view-props.ts';
import { AttemptSection } from './attempt-section.tsx';
import { DiffSection } from './diff-section.tsx';
import { ResultSection } from './result-section.tsx';
import { TaskActions } from './task-actions.tsx';
import { TaskTimeline } from './task-timeline.tsx';
import { taskTimeSpans } from './time-spans.ts';
import { listUnknownFacts } from './unknown-facts.ts';

type Chain = z.infer<typeof AttemptList>;

interface Props extends ViewProps {
  readonly id: string;
}

function savedText({ saved_vs_direct_opus_usd: saved, break_even_pass_rate: even }: Chain): string {
  if (saved === null) return 'unknown';
  return `${formatDollars(saved)}${even === null ? '' : ` (break-even pass rate ${formatPercent(even)})`}`;
}

function Facts({ task, chain }: { readonly task: TaskView; readonly chain: Chain }) {
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ['Role', `${task.role}, priority ${task.priority}, ${task.scope} scope, ${task.complexity} complexity`],
    ['Repository', `${task.repository} at ${shortCommit(task.base_ref)}`],
    ['Base', task.base_commit && shortCommit(task.base_commit)],
    ['Depends on', task.depends_on.join(', ')],
    ['Files', task.files.join(', ')],
    ['Waits for', task.blocked_reason?.message],
    ['Held because', task.hold?.reasons.join('; ')],
    ['Blocks', task.blocks?.join(', ')],
    [
      'Held until',
      task.hold?.expires_at && `${formatTime(task.hold.expires_at)}, then ${task.hold.expiry_outcome}`,
    ],
    ['Review', task.review && `${task.review.decision} by ${task.review.by}: ${task.review.reason}`],
    ['Failure', task.failure && `${task.failure.code}: ${task.failure.message}`],
    ['Created', `${formatTime(task.created_at)} by ${task.created_by}`],
    ['Ended', task.ended_at && formatTime(task.ended_at)],
    [
      'Cost',
      chain.attempts.length === 0
        ? null
        : `${formatCost(chain.total_cost_usd, estimatedCostUsd(chain.attempts))}, of it ${formatDollars(chain.judging_cost_usd)} for judging`,
    ],
    ['Saved', chain.attempts.length === 0 ? null : savedText(chain)],
    [
      'Delivery',
      task.delivery &&
        [task.delivery.state, task.delivery.branch, task.delivery.commit?.slice(0, 12), task.delivery.reason]
          .filter(Boolean)
          .join(' '),
    ],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value ? (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <bdi>{escapeToOneLine(value, 1_000)}</bdi>
            </dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

/** Everything about one task, what a reviewer needs first; it is refreshed until the task ends. */
export function TaskPage(props: Props) {
  const { id, api, onTokenExpired } = props;
  const path = `/tasks/${encodeURIComponent(id)}`;
  const task = useApiPolling<TaskView>(api, path, onTokenExpired);
  const [chain, setChain] = useState<Chain | null>(null);
  const [trouble, setTrouble] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const found = task.body !== null;
  useEffect(() => {
    if (found) heading.current?.focus();
  }, [found]);
  const { changes } = task;
  useEffect(() => {
    if (changes === 0) return;
    let over = false;
    api.read<Chain>(`${path}/attempts`).then(
      (read) => {
        if (over || read === null) return;
        setChain(read.body);
        setTrouble('');
      },
      (error: Error) => {
        if (over) return;
        if (error instanceof TokenExpiredError) onTokenExpired();
        else setTrouble(error.message);
      },
    );
    return () => {
      over = true;
    };
  }, [api, path, changes, onTokenExpired]);

  if (task.body === null)
    return (
      <div class="task">
        <h1>Task {escapeToOneLine(id, 60)}</h1>
        <p role="alert">{task.error instanceof ApiProblemError ? `${task.error.message}.` : 'Loading …'}</p>
      </div>
    );
  const { body } = task;
  const unknown = chain === null ? [] : listUnknownFacts(body, chain);
  const latest = chain?.attempts.at(-1);
  const judged = chain?.attempts.findLast(({ verdict }) => verdict !== null);
  const handedIn = chain?.attempts.findLast(({ artifact }) => artifact !== null);
  const summary = [
    body.id,
    body.repository,
    body.model,
    chain !== null && chain.attempts.length > 0
      ? formatCost(chain.total_cost_usd, estimatedCostUsd(chain.attempts))
      : null,
    `submitted ${formatAge(body.created_at, Date.now())} ago`,
    body.branch && `branch ${body.branch}`,
  ].filter((part) => part !== null && part !== '');
  return (
    <div class="task">
      <h1 ref={heading} tabIndex={-1}>
        <bdi>{escapeToOneLine(body.title)}</bdi>
      </h1>
      <p>
        <Pill word={body.hold ? 'needs review' : body.status} />{' '}
        {body.flagged_unverified && <Pill word="unverified" />}{' '}
        <span class="dim">
          <bdi>{escapeToOneLine(summary.join(' · '), 600)}</bdi>
        </span>
      </p>
      <p class="dim" aria-live="polite">
        {escapeToOneLine(body.progress ?? '')}
      </p>
      {chain !== null && <ResultSection task={body} judged={judged} />}
      {chain !== null && <TaskActions {...props} task={body} latest={latest} onDone={task.refresh} />}
      <p role="alert" class="trouble">
        {trouble}
      </p>
      {chain !== null && (
        <>
          {handedIn && (
            <section>
              <h2>Changes of attempt {handedIn.number}</h2>
              <DiffSection {...props} key={handedIn.number} attempt={handedIn} open={true} />
            </section>
          )}
          {body.description !== '' && (
            <section>
              <h2>Task</h2>
              <UntrustedText text={body.description} />
            </section>
          )}
          <section>
            <h2>Unknown</h2>
            {unknown.length === 0 ? (
              <p>Nothing.</p>
            ) : (
              <ul class="unknown">
                {unknown.map((each) => (
                  <li key={each}>
                    <bdi>{escapeToOneLine(each, 500)}</bdi>
                  </li>
                ))}
              </ul>
            )}
          </section>
          <section>
            <h2>Attempts</h2>
            {chain.attempts.length === 0 && <p class="dim">None yet.</p>}
            {chain.attempts.toReversed().map((attempt, index) => (
              <AttemptSection
                {...props}
                key={attempt.number}
                attempt={attempt}
                open={index === 0}
                isDiffAbove={attempt === handedIn}
              />
            ))}
          </section>
          <section>
            <h2>Timeline</h2>
            <TaskTimeline spans={taskTimeSpans(body, chain.attempts)} now={Date.now()} />
          </section>
          <section>
            <h2>Details</h2>
            <Facts task={body} chain={chain} />
          </section>
        </>
      )}
    </div>
  );
}
