import { useMemo, useState } from 'preact/hooks';
import type { AttemptView, TaskView } from '../../shared/api/task-schemas.ts';
import type { ApiClient } from '../api/api-client.ts';
import { TokenExpiredError } from '../api/api-errors.ts';
import { Dialog } from '../components/dialog.tsx';
import { useShortcuts } from '../components/shortcuts.ts';
import type { ViewProps } from '../shell/view-props.ts';

/** Something that an operator can do about a task. */
interface TaskAction {
  readonly name: string;
  readonly key: string;
  readonly tone: 'good' | 'bad' | 'plain';
  /** What is asked before it is done. */
  readonly consequence: string;
  readonly send: (api: ApiClient, reason: string) => Promise<unknown>;
}

/** What may be done about a task as it stands. Each says which version it is about: who has seen an older one is refused. */
export function availableActions(task: TaskView, latest: AttemptView | undefined): TaskAction[] {
  const path = `/tasks/${encodeURIComponent(task.id)}`;
  const { version } = task;
  const actions: TaskAction[] = [];
  if (task.hold && latest?.artifact) {
    const { base_commit, tree } = latest.artifact;
    const review = (decision: 'approve' | 'reject') => (api: ApiClient, reason: string) =>
      api.send(`${path}/review`, { decision, reason, base_commit, tree }, version);
    actions.push(
      {
        name: 'Approve',
        key: 'a',
        tone: 'good',
        consequence: 'The work is delivered on your decision.',
        send: review('approve'),
      },
      {
        name: 'Reject',
        key: 'x',
        tone: 'bad',
        consequence: 'The work is not delivered; another attempt starts where the budget allows.',
        send: review('reject'),
      },
      {
        name: 'Rejudge',
        key: 'v',
        tone: 'plain',
        consequence: 'The verdict is repeated on the same evidence; models are asked and paid again.',
        send: (api, reason) => api.send(`${path}/verify`, { reason }, version),
      },
    );
  }
  if (task.status === 'failed')
    actions.push({
      name: 'Retry',
      key: 'r',
      tone: 'plain',
      consequence: 'The task gets another round of attempts.',
      send: (api, reason) => api.send(`${path}/retry`, { reason }, version),
    });
  if (!['done', 'failed', 'cancelled'].includes(task.status))
    actions.push({
      name: 'Cancel',
      key: 'c',
      tone: 'bad',
      consequence: 'The task ends, and nothing is delivered.',
      send: (api, reason) => api.send(`${path}/cancel`, { reason }, version),
    });
  return actions;
}

interface Props extends ViewProps {
  readonly task: TaskView;
  readonly latest: AttemptView | undefined;
  readonly onDone: () => void;
}

/** Buttons for what may be done, each with a reason that is kept with the task. */
export function TaskActions({ task, latest, api, onTokenExpired, showToast, onDone }: Props) {
  const actions = useMemo(() => availableActions(task, latest), [task, latest]);
  const [asked, setAsked] = useState<TaskAction | null>(null);
  const [reason, setReason] = useState('');
  const [trouble, setTrouble] = useState('');
  const ask = (action: TaskAction): void => {
    setReason('');
    setTrouble('');
    setAsked(action);
  };
  useShortcuts(
    useMemo(
      () => actions.map((action) => ({ keys: action.key, description: action.name, run: () => ask(action) })),
      [actions],
    ),
  );
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (asked === null) return;
    if (reason.trim() === '') return setTrouble('Give a reason: it is stored with the task.');
    try {
      await asked.send(api, reason.trim());
      showToast('good', `${asked.name}: done.`);
      setAsked(null);
      onDone();
    } catch (error) {
      if (error instanceof TokenExpiredError) onTokenExpired();
      else setTrouble(`${(error as Error).message} Nothing has changed.`);
    }
  };
  return (
    <div class="buttons">
      {actions.map((action) => (
        <button
          key={action.name}
          type="button"
          class={action.tone}
          aria-keyshortcuts={action.key}
          onClick={() => ask(action)}
        >
          {action.name} <kbd>{action.key}</kbd>
        </button>
      ))}
      {asked && (
        <Dialog title={`${asked.name} this task?`} onClose={() => setAsked(null)}>
          <form onSubmit={(event) => void submit(event)}>
            <p>{asked.consequence}</p>
            <label for="reason">Reason</label>
            <textarea
              id="reason"
              rows={3}
              maxLength={2_000}
              value={reason}
              aria-describedby="reason-trouble"
              onInput={(event) => setReason(event.currentTarget.value)}
            />
            <p id="reason-trouble" role="alert" class="trouble">
              {trouble}
            </p>
            <div class="buttons">
              <button type="submit" class={asked.tone}>
                {asked.name}
              </button>
              <button type="button" onClick={() => setAsked(null)}>
                Back
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </div>
  );
}
