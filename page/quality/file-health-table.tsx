import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type {
  FileHealthList,
  FileHealthReport,
  FileHistory,
} from '../../shared/control/file-health/file-health-schemas.ts';
import filesSql from '../../shared/control/ledger/queries/files-that-fail.sql';
import type { ApiClient } from '../api/api-client.ts';
import { TokenExpiredError } from '../api/api-errors.ts';
import { escapeToOneLine } from '../components/escape-text.ts';
import { formatTime } from '../components/format.ts';
import { pageRouteHash } from '../page-route.ts';
import { SqlDetails } from './sql-details.tsx';

type Health = z.infer<typeof FileHealthReport>;
type History = z.infer<typeof FileHistory>;

const score = (value: number | null): string => (value === null ? 'no data' : String(value));
const FLAGGED = { low: 'low', fell: 'has fallen' } as const;
/** Scores are from 0 to 100, the more the better, as the line above the table says. */
const COLUMNS = [
  'Health',
  'Grade',
  'Rejected',
  'Reverted',
  'Score of findings',
  'of flaky tests',
  'of churn',
  'Reason to review',
] as const;
const short = (repository: string): string =>
  repository
    .replace(/^[a-z]+:\/\//, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');

/** What happened to a file, the newest first. */
function Touches({ history }: { readonly history: History }) {
  return (
    <div class="scroll">
      <table>
        <caption>
          What happened to <bdi>{escapeToOneLine(history.score.path, 200)}</bdi>
        </caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">The work was</th>
            <th scope="col" class="number">
              Health
            </th>
            <th scope="col">Task</th>
          </tr>
        </thead>
        <tbody>
          {history.touch_history.map((each) => (
            <tr key={`${each.timestamp} ${each.task_id} ${each.outcome}`}>
              <th scope="row">{formatTime(each.timestamp)}</th>
              <td>{each.outcome}</td>
              <td class="number">
                {each.previous_total === null ? '' : `${each.previous_total} → `}
                {each.new_total}
              </td>
              <td>
                <a href={pageRouteHash({ view: 'task', id: each.task_id })}>
                  {escapeToOneLine(each.task_id, 64)}
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Props {
  readonly list: z.infer<typeof FileHealthList>;
  readonly api: ApiClient;
  readonly onTokenExpired: () => void;
}

/** The files changed by agents, by what became of it. */
export function FileHealthTable({ list, api, onTokenExpired }: Props) {
  const [history, setHistory] = useState<History | null>(null);
  const [trouble, setTrouble] = useState('');
  const { files, summary, truncated } = list;
  const many = new Set(files.map(({ repository }) => repository)).size > 1;
  const show = ({ repository, path }: Health): void => {
    const query = new URLSearchParams({ repository, path });
    api.read<History>(`/quality/file-health/file?${query}`).then(
      (found) => {
        setHistory(found?.body ?? null);
        setTrouble('');
      },
      (error: Error) => (error instanceof TokenExpiredError ? onTokenExpired() : setTrouble(error.message)),
    );
  };
  return (
    <section>
      <h2>Files</h2>
      <p class="dim">
        {summary.total_tracked === 0
          ? 'No attempt has been judged yet that changed one.'
          : `${summary.total_tracked} changed by agents, ${summary.flagged_for_review} to review, mean health ${score(summary.avg_score)} of 100; scores are from 0 to 100, the more the better${files.length < summary.total_tracked ? `; the ${files.length} worst` : ''}.`}{' '}
        {truncated && 'More files exist than are listed.'}
      </p>
      {files.length > 0 && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">File</th>
                {COLUMNS.map((name) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {files.map((each) => (
                <tr key={`${each.repository} ${each.path}`}>
                  <th scope="row">
                    <button type="button" class="link" onClick={() => show(each)}>
                      <bdi>{escapeToOneLine(each.path, 120)}</bdi>
                    </button>
                    {many && <span class="dim"> {escapeToOneLine(short(each.repository), 80)}</span>}
                  </th>
                  <td class="number">{each.total}</td>
                  <td class="number">{each.grade}</td>
                  <td class="number">
                    {each.failure_touches} of {each.failure_touches + each.success_touches}
                  </td>
                  <td class="number">{each.reverts}</td>
                  <td class="number">{score(each.findings_score)}</td>
                  <td class="number">{score(each.flaky_score)}</td>
                  <td class="number">{score(each.churn_score)}</td>
                  <td class="number">{each.flag_reason && <b>{FLAGGED[each.flag_reason]}</b>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div aria-live="polite">
        {trouble && <p class="bad">{trouble}</p>}
        {history && <Touches history={history} />}
      </div>
      <SqlDetails title="Files" name="files-that-fail" text={filesSql} />
    </section>
  );
}
