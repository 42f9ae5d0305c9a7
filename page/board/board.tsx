import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TaskSummary } from '../../shared/api/task-schemas.ts';
import { formatAge } from '../../shared/lib/format.ts';
import { TokenExpiredError } from '../api/api-errors.ts';
import type { PollState } from '../api/use-poll.ts';
import { escapeToOneLine } from '../components/escape-text.ts';
import { useShortcuts } from '../components/shortcuts.ts';
import { VirtualTable } from '../components/virtual-table.tsx';
import { navigate } from '../navigation.ts';
import { pageRouteHash } from '../page-route.ts';
import type { TaskStatusSnapshot, ViewProps } from '../shell/view-props.ts';
import { loadBoardTasks } from './load-board-tasks.ts';
import { countByGroup, selectBoardTasks, TASK_GROUPS, type TaskGroup, taskGroupOf } from './task-groups.ts';

interface Props extends ViewProps {
  readonly status: PollState<TaskStatusSnapshot>;
}

/** As in the style sheet, in pixels. */
const ROW = 36;
/** Milliseconds after which a change is looked at again: listings follow the table, and may be a moment behind. */
const SECOND_LOOK = 3_000;

const noteOf = ({ hold, failure, blocked_reason, flagged_unverified }: TaskSummary): string => {
  if (hold) return escapeToOneLine(hold.reasons.join('; '));
  if (failure) return escapeToOneLine(`${failure.code}: ${failure.message}`);
  if (blocked_reason) return escapeToOneLine(blocked_reason.message);
  return flagged_unverified ? 'completed without evidence of ours' : '';
};

/** All live tasks and those that ended last. It is listed again only when the counts say that something has happened. */
export function TaskBoard({ api, onTokenExpired, status }: Props) {
  const [tasks, setTasks] = useState<readonly TaskSummary[] | null>(null);
  const [trouble, setTrouble] = useState('');
  const [filter, setFilter] = useState('');
  const [group, setGroup] = useState<TaskGroup | 'all'>('all');
  const [selected, setSelected] = useState(-1);
  // Keys may come faster than the board is drawn.
  const at = useRef(-1);
  const select = useCallback((index: number) => {
    at.current = index;
    setSelected(index);
  }, []);
  const search = useRef<HTMLInputElement>(null);

  const { changes } = status;
  useEffect(() => {
    let over = false;
    const list = async (): Promise<void> => {
      try {
        const found = await loadBoardTasks(api);
        if (over) return;
        setTasks(found);
        setTrouble('');
      } catch (error) {
        if (over) return;
        if (error instanceof TokenExpiredError) onTokenExpired();
        else setTrouble((error as Error).message);
      }
    };
    if (changes > 0) void list();
    const again = setTimeout(() => void list(), SECOND_LOOK);
    return () => {
      over = true;
      clearTimeout(again);
    };
  }, [api, changes, onTokenExpired]);

  const rows = useMemo(() => selectBoardTasks(tasks ?? [], filter, group), [tasks, filter, group]);
  const counts = useMemo(() => countByGroup(tasks ?? []), [tasks]);
  const move = useCallback(
    (by: number) => select(Math.min(rows.length - 1, Math.max(0, at.current + by))),
    [rows.length, select],
  );
  const shortcuts = useMemo(
    () => [
      { keys: 'j', description: 'Next task', run: () => move(1) },
      { keys: 'k', description: 'Previous task', run: () => move(-1) },
      { keys: '/', description: 'Filter', run: () => search.current?.focus() },
      {
        keys: 'Enter',
        description: 'Open',
        run: () => {
          const task = rows[at.current];
          const focused = document.activeElement;
          if (focused instanceof HTMLAnchorElement || focused instanceof HTMLButtonElement) focused.click();
          else if (task) navigate({ view: 'task', id: task.id });
        },
      },
    ],
    [rows, move],
  );
  useShortcuts(shortcuts);

  const now = Date.now();
  return (
    <div class="board">
      <h1>Board</h1>
      <div class="tools">
        <fieldset>
          <legend class="hidden">Which tasks</legend>
          {(['all', ...TASK_GROUPS] as const).map((each) => (
            <button
              key={each}
              type="button"
              class={`chip ${each.replace(' ', '-')}`}
              aria-pressed={group === each}
              onClick={() => setGroup(each)}
            >
              {each} <b>{each === 'all' ? (tasks?.length ?? 0) : (counts.get(each) ?? 0)}</b>
            </button>
          ))}
        </fieldset>
        <label>
          Filter{' '}
          <input
            ref={search}
            type="search"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
      </div>
      <p role="alert" class="trouble">
        {trouble}
      </p>
      {tasks === null ? (
        <p class="dim">Asking …</p>
      ) : rows.length === 0 ? (
        <p class="dim">
          {tasks.length === 0 ? (
            <>
              There are no tasks. Submit one with <code>assay submit FILE</code>.
            </>
          ) : (
            'No task is like that.'
          )}
        </p>
      ) : (
        <VirtualTable
          label="Tasks"
          items={rows}
          rowHeight={ROW}
          selected={selected}
          columns={6}
          head={
            <tr>
              <th scope="col">Status</th>
              <th scope="col">Task</th>
              <th scope="col">Role</th>
              <th scope="col" class="number">
                Priority
              </th>
              <th scope="col" class="number">
                Age
              </th>
              <th scope="col">Note</th>
            </tr>
          }
          row={(task, index) => (
            <tr key={task.id} aria-rowindex={index + 2} class={index === selected ? 'selected' : ''}>
              <td>
                <span class={`pill ${taskGroupOf(task).replace(' ', '-')}`}>
                  {task.status === 'in_review' && task.hold ? 'needs you' : task.status.replaceAll('_', ' ')}
                </span>
              </td>
              <td class="title">
                <a href={pageRouteHash({ view: 'task', id: task.id })} onFocus={() => select(index)}>
                  <bdi>{escapeToOneLine(task.title)}</bdi>
                </a>
              </td>
              <td>
                <bdi>{escapeToOneLine(task.role)}</bdi>
              </td>
              <td class="number">{task.priority}</td>
              <td class="number">{formatAge(task.created_at, now)}</td>
              <td class="note">
                <bdi>{noteOf(task)}</bdi>
              </td>
            </tr>
          )}
        />
      )}
    </div>
  );
}
