import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TaskSummary } from '../../shared/api/task-schemas.ts';
import { formatAge } from '../../shared/lib/format.ts';
import { TokenExpiredError } from '../api/api-errors.ts';
import type { PollState } from '../api/use-poll.ts';
import { escapeToOneLine } from '../components/escape-text.ts';
import { Pill } from '../components/pill.tsx';
import { useShortcuts } from '../components/shortcuts.ts';
import { VirtualTable } from '../components/virtual-table.tsx';
import { navigate, replaceRoute } from '../navigation.ts';
import { type BoardFilter, pageRouteHash } from '../page-route.ts';
import type { TaskStatusSnapshot, ViewProps } from '../shell/view-props.ts';
import { loadBoardTasks } from './load-board-tasks.ts';
import { countByGroup, selectBoardTasks, TASK_GROUPS } from './task-groups.ts';

interface Props extends ViewProps {
  readonly status: PollState<TaskStatusSnapshot>;
  readonly filter: BoardFilter;
}

/** As in the style sheet, in pixels. */
const ROW = 36;
/** Milliseconds after which the list is read again after a change: listings are eventually consistent. */
const SECOND_LOOK = 3_000;

/** Returns owner and name of a repository, which tell rows apart better than its host. */
const shortRepository = (url: string): string =>
  url
    .replace(/\.git$/, '')
    .split('/')
    .slice(-2)
    .join('/');

const noteOf = ({ hold, failure, blocked_reason, flagged_unverified }: TaskSummary): string => {
  if (hold) return escapeToOneLine(hold.reasons.join('; '));
  if (failure) return escapeToOneLine(`${failure.code}: ${failure.message}`);
  if (blocked_reason) return escapeToOneLine(blocked_reason.message);
  return flagged_unverified ? 'completed without verification' : '';
};

/** All live tasks and those that ended last. The list is read again only when the counts have changed. */
export function TaskBoard({ api, onTokenExpired, status, filter }: Props) {
  const [tasks, setTasks] = useState<readonly TaskSummary[] | null>(null);
  const [trouble, setTrouble] = useState('');
  const [selected, setSelected] = useState(-1);
  // Keys may come faster than the board is drawn.
  const at = useRef(-1);
  const select = useCallback((index: number) => {
    at.current = index;
    setSelected(index);
  }, []);
  const search = useRef<HTMLInputElement>(null);
  const { group, words } = filter;
  const choose = (chosen: Partial<BoardFilter>): void =>
    replaceRoute({ view: 'board', filter: { ...filter, ...chosen } });

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

  const rows = useMemo(() => selectBoardTasks(tasks ?? [], words, group), [tasks, words, group]);
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
              onClick={() => choose({ group: each })}
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
            value={words}
            onInput={(event) => choose({ words: event.currentTarget.value })}
          />
        </label>
      </div>
      <p role="alert" class="trouble">
        {trouble}
      </p>
      {tasks === null ? (
        <p class="dim">Loading …</p>
      ) : rows.length === 0 ? (
        <p class="dim">
          {tasks.length === 0 ? (
            <>
              There are no tasks. Submit one with <code>assay submit FILE</code>.
            </>
          ) : (
            'No task matches.'
          )}
        </p>
      ) : (
        <VirtualTable
          label="Tasks"
          items={rows}
          rowHeight={ROW}
          selected={selected}
          head={
            <tr>
              <th scope="col">Status</th>
              <th scope="col">Task</th>
              <th scope="col">Id</th>
              <th scope="col">Repository</th>
              <th scope="col" class="number">
                Age
              </th>
              <th scope="col">Note</th>
            </tr>
          }
          row={(task, index) => (
            <tr key={task.id} aria-rowindex={index + 2} class={index === selected ? 'selected' : ''}>
              <td>
                <Pill
                  word={task.hold ? 'needs review' : task.flagged_unverified ? 'unverified' : task.status}
                />
              </td>
              <td class="title">
                <a href={pageRouteHash({ view: 'task', id: task.id })} onFocus={() => select(index)}>
                  <bdi>{escapeToOneLine(task.title)}</bdi>
                </a>
              </td>
              <td>
                <bdi>{escapeToOneLine(task.id, 64)}</bdi>
              </td>
              <td>
                <bdi>{escapeToOneLine(shortRepository(task.repository), 80)}</bdi>
              </td>
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
