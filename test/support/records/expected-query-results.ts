import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AttemptRow,
  type GateRow,
  RECORD_TABLE_NAMES,
  type RecordRowOf,
  type RecordTableName,
} from '../../../shared/control/ledger/record-rows.ts';

type Cell = string | number | boolean | null;
type Day = { readonly dt: string };
export type RecordTables = { readonly [T in RecordTableName]: readonly (RecordRowOf<T> & Day)[] };

/** The lines of a folder of records, as they lie there. */
export function readRecordLines(folder: string, table: RecordTableName): { record_id: string; dt: string }[] {
  const of = join(folder, `table=${table}`);
  const days = readdirSync(folder).includes(`table=${table}`) ? readdirSync(of).sort() : [];
  return days.flatMap((day) =>
    readdirSync(join(of, day)).flatMap((file) =>
      readFileSync(join(of, day, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => ({ ...JSON.parse(line), dt: day.replace('dt=', '') })),
    ),
  );
}

/** Each record once, as of its first day. */
function once<T>(folder: string, table: RecordTableName): T[] {
  const rows = new Map<string, unknown>();
  for (const row of readRecordLines(folder, table))
    if (!rows.has(row.record_id)) rows.set(row.record_id, row);
  return [...rows.values()] as T[];
}

export const readRecordTables = (folder: string): RecordTables =>
  Object.fromEntries(
    RECORD_TABLE_NAMES.map((table) => [table, once(folder, table)]),
  ) as unknown as RecordTables;

const round = (value: number | null, digits: number): number | null =>
  value === null ? null : Math.round((value + Number.EPSILON) * 10 ** digits) / 10 ** digits;
const known = (values: readonly (number | null)[]): number[] => values.filter((each) => each !== null);
/** Null when nothing is known, as in SQL. */
const sum = (values: readonly (number | null)[]): number | null =>
  known(values).length === 0 ? null : known(values).reduce((total, each) => total + each, 0);
const average = (values: readonly (number | null)[]): number | null =>
  known(values).length === 0 ? null : (sum(values) ?? 0) / known(values).length;
const share = (part: number, whole: number): number | null => (whole === 0 ? null : round(part / whole, 4));
const latest = (texts: readonly string[]): string | null => texts.toSorted().at(-1) ?? null;
/** The least value that a share `p` of all does not exceed. */
const percentile = (values: readonly number[], p: number): number | null =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * p) - 1)] ?? null;
const divided = (value: number | null, by: number): number | null => (value === null ? null : value / by);

/** Groups, each with its keys and rows. */
function groups<T>(rows: readonly T[], keys: (row: T) => readonly Cell[]): [Cell[], T[]][] {
  const found = new Map<string, [Cell[], T[]]>();
  for (const row of rows) {
    const key = [...keys(row)];
    const group = found.get(JSON.stringify(key)) ?? [key, []];
    group[1].push(row);
    found.set(JSON.stringify(key), group);
  }
  return [...found.values()];
}
const having = <T>(rows: readonly T[], test: (row: T) => boolean): number => rows.filter(test).length;
const hasResult = ({ outcome }: { readonly outcome: string }): boolean =>
  outcome === 'passed' || outcome === 'failed';
const passed = ({ outcome }: { readonly outcome: string }): boolean => outcome === 'passed';
const failed = ({ outcome }: { readonly outcome: string }): boolean => outcome === 'failed';
const noCost = ({ cost_usd }: AttemptRow): boolean => cost_usd === null;
const seconds = (rows: readonly GateRow[]): number =>
  rows.reduce((total, each) => total + each.duration_ms, 0) / 1_000;

/** What each named query should answer, by plain computation; rows in any order. */
export const EXPECTED_QUERY_RESULTS: Readonly<Record<string, (tables: RecordTables) => Cell[][]>> = {
  'attempts-per-task': ({ cascade_chains }) =>
    groups(cascade_chains, ({ attempts }) => [attempts.length]).map(([key, rows]) => [
      ...key,
      rows.length,
      having(rows, ({ succeeded }) => succeeded),
      round(average(rows.map(({ total_cost_usd }) => total_cost_usd)), 4),
    ]),
  'chain-cost-and-savings': ({ cascade_chains }) =>
    groups(cascade_chains, ({ dt }) => [dt]).map(([key, rows]) => [
      ...key,
      rows.length,
      having(rows, ({ succeeded }) => succeeded),
      round(average(rows.map(({ attempts }) => attempts.length)), 2),
      round(sum(rows.map((row) => row.total_cost_usd)), 4),
      round(sum(rows.map((row) => row.escalation_overhead_usd)), 4),
      round(sum(rows.map((row) => row.saved_vs_direct_opus_usd)), 4),
      having(rows, ({ total_cost_usd }) => total_cost_usd === null),
    ]),
  'completed-unverified': ({ verification_nudges, tasks }) =>
    verification_nudges
      .filter(({ verified }) => !verified)
      .flatMap((row) => {
        const ends = tasks.filter(({ task_id, status }) => task_id === row.task_id && status === 'done');
        const flags = [row.tests_run, row.quality_gates_run, row.completion_signals_checked];
        const without: Cell[][] = [[row.task_id, null, null, null, null, ...flags]];
        return ends.length === 0
          ? without
          : ends.map((end): Cell[] => [
              row.task_id,
              end.repository,
              end.role,
              end.model,
              end.timestamp,
              ...flags,
            ]);
      }),
  'cost-by-repository': ({ cascade_attempts }) =>
    groups(cascade_attempts, ({ dt, repository }) => [dt, repository]).map(([key, rows]) => [
      ...key,
      new Set(rows.map(({ task_id }) => task_id)).size,
      new Set(rows.filter(({ task_succeeded }) => task_succeeded).map(({ task_id }) => task_id)).size,
      rows.length,
      round(sum(rows.map(({ cost_usd }) => cost_usd)), 4),
      having(rows, noCost),
    ]),
  'cost-by-role': ({ cascade_attempts }) =>
    groups(cascade_attempts, ({ role, model }) => [role, model]).map(([key, rows]) => [
      ...key,
      rows.length,
      having(rows, ({ success }) => success),
      round(sum(rows.map(({ cost_usd }) => cost_usd)), 4),
      sum(rows.map(({ tokens_used }) => tokens_used)),
      having(rows, noCost),
    ]),
  'cost-per-accepted-patch': ({ cascade_chains }) =>
    groups(cascade_chains, ({ final_model }) => [final_model]).map(([key, rows]) => {
      const spent = sum(rows.map(({ total_cost_usd }) => total_cost_usd));
      const paid = having(rows, ({ succeeded, total_cost_usd }) => succeeded && total_cost_usd !== null);
      return [
        ...key,
        having(rows, ({ succeeded }) => succeeded),
        having(rows, ({ succeeded }) => !succeeded),
        round(spent, 4),
        paid === 0 ? null : round(divided(spent, paid), 4),
        having(rows, ({ total_cost_usd }) => total_cost_usd === null),
      ];
    }),
  durations: ({ tasks, cascade_attempts, quality_gates }) => {
    const ends = tasks
      .filter(({ status }) => ['done', 'failed', 'cancelled'].includes(status))
      .map(({ status, age_ms }) => ({ what: 'task', name: status as string | null, s: age_ms / 1_000 }));
    const attempts = cascade_attempts.flatMap(({ model, latency_s }) =>
      latency_s === null ? [] : [{ what: 'attempt', name: model, s: latency_s }],
    );
    const gates = quality_gates
      .filter(({ cached }) => !cached)
      .map(({ gate, duration_ms }) => ({ what: 'gate', name: gate, s: duration_ms / 1_000 }));
    return groups([...ends, ...attempts, ...gates], ({ what, name }) => [what, name]).map(([key, rows]) => [
      ...key,
      rows.length,
      ...[0.5, 0.9, 0.99].map((p) =>
        round(
          percentile(
            rows.map(({ s }) => s),
            p,
          ),
          1,
        ),
      ),
    ]);
  },
  'files-that-fail': ({ file_touches }) =>
    groups(file_touches, ({ repository, path }) => [repository, path]).map(([key, rows]) => {
      const attempts = rows.filter(({ outcome }) => outcome !== 'reverted');
      return [
        ...key,
        attempts.length,
        having(rows, ({ outcome }) => outcome === 'rejected'),
        having(rows, ({ outcome }) => outcome === 'reverted'),
        attempts.reduce((total, { findings }) => total + findings, 0),
        Math.max(...rows.map(({ flaky_tests }) => flaky_tests)),
        latest(rows.map(({ timestamp }) => timestamp)),
      ];
    }),
  'gate-pass-rate': ({ quality_gates }) =>
    groups(quality_gates, ({ gate }) => [gate]).map(([key, rows]) => [
      ...key,
      rows.length,
      having(rows, passed),
      having(rows, failed),
      having(rows, (row) => !hasResult(row)),
      share(having(rows, passed), having(rows, hasResult)),
      having(rows, ({ cached }) => cached),
    ]),
  'gates-that-could-not-run': ({ quality_gates }) =>
    groups(
      quality_gates.filter(({ outcome }) => ['could_not_run', 'timed_out', 'infra_failed'].includes(outcome)),
      ({ gate, outcome, tool }) => [gate, outcome, tool ?? 'unknown'],
    ).map(([key, rows]) => [
      ...key,
      rows.length,
      new Set(rows.map(({ task_id }) => task_id)).size,
      latest(rows.map(({ timestamp }) => timestamp)),
    ]),
  'gates-that-never-fail': ({ quality_gates }) =>
    groups(quality_gates, ({ gate }) => [gate])
      .filter(([, rows]) => !rows.some(failed) && rows.some(passed))
      .map(([key, rows]) => [...key, rows.length, having(rows, passed), round(seconds(rows), 1)]),
  'blocked-and-approved': ({ reviews, quality_gates }) => {
    const objections = reviews
      .filter(({ decision }) => decision !== null)
      .flatMap(({ task_id, attempt, decision }) =>
        quality_gates
          .filter((gate) => gate.task_id === task_id && gate.attempt === attempt)
          .filter(({ outcome }) => outcome !== 'passed' && outcome !== 'skipped')
          .filter(({ required, result }) => required || result === 'blocked')
          .map(({ gate }) => ({ gate, decision })),
      );
    return groups(objections, ({ gate }) => [gate]).map(([key, rows]) => {
      const overruled = having(rows, ({ decision }) => decision === 'approve');
      return [...key, rows.length, overruled, share(overruled, rows.length)];
    });
  },
  'examiner-precision': ({ quality_gates, tasks, reviews, work_outcomes }) => {
    const isOf = (row: GateRow) => (other: { readonly task_id: string; readonly attempt: number }) =>
      other.task_id === row.task_id && other.attempt === row.attempt;
    const factOf = ({ facts }: GateRow, name: string): number | null =>
      facts[name] === undefined || facts[name] === 'null' ? null : Number(facts[name]);
    const isApproved = (row: GateRow): boolean =>
      reviews.filter(isOf(row)).some(({ decision }) => decision === 'approve');
    const isRejected = (row: GateRow): boolean =>
      reviews.filter(isOf(row)).some(({ decision }) => decision === 'reject') ||
      work_outcomes.filter(isOf(row)).some(({ outcome }) => outcome === 'reverted' || outcome === 'reopened');
    const verdicts = quality_gates.filter(({ gate }) => gate === 'acceptance_tests' || gate === 'challenge');
    const repositoryOf = ({ task_id }: GateRow) =>
      latest(tasks.filter((task) => task.task_id === task_id).map(({ repository }) => repository));
    return groups(verdicts, (row) => [row.gate, repositoryOf(row), row.tool_version ?? 'no model']).map(
      ([key, rows]) => {
        const total = (name: string) => sum(rows.map((row) => factOf(row, name)));
        const [upheld, notDemanded, requirements] = [
          total('upheld'),
          total('not_demanded'),
          total('requirements'),
        ];
        const confirmed = having(rows, (row) => failed(row) && isRejected(row));
        const overruled = having(rows, (row) => failed(row) && isApproved(row) && !isRejected(row));
        const cost = total('cost_usd');
        return [
          ...key,
          rows.length,
          having(rows, failed),
          having(rows, (row) => !hasResult(row) && row.outcome !== 'skipped'),
          upheld,
          notDemanded,
          upheld === null || notDemanded === null ? null : share(upheld, upheld + notDemanded),
          confirmed,
          overruled,
          share(confirmed, confirmed + overruled),
          having(rows, (row) => (passed(row) || row.outcome === 'skipped') && isRejected(row)),
          requirements === null ? null : share(total('requirements_tested') ?? 0, requirements),
          having(rows, ({ facts }) => facts['exam_reused'] === 'true'),
          round(cost, 4),
          round(divided(cost, rows.length), 6),
        ];
      },
    );
  },
  judgements: ({ judgements }) =>
    groups(judgements, ({ kind, model, prompt_sha256 }) => [kind, model, prompt_sha256]).map(
      ([key, rows]) => {
        const cost = sum(rows.map(({ cost_usd }) => cost_usd));
        const answers = having(rows, hasResult);
        return [
          ...key,
          rows.length,
          having(rows, passed),
          having(rows, failed),
          having(rows, ({ outcome }) => outcome === 'skipped'),
          having(rows, (row) => !hasResult(row) && row.outcome !== 'skipped'),
          having(rows, ({ verdict }) => verdict === 'refer'),
          round(average(rows.map(({ confidence }) => confidence)), 2),
          sum(rows.map(({ input_tokens }) => input_tokens)),
          sum(rows.map(({ output_tokens }) => output_tokens)),
          round(cost, 4),
          answers === 0 ? null : round(divided(cost, answers), 6),
          having(rows, ({ calls, cost_usd }) => calls !== 0 && cost_usd === null),
        ];
      },
    ),
  'model-win-rate': ({ cascade_attempts }) =>
    groups(
      cascade_attempts.filter(
        ({ outcome }) => outcome !== null && !['infra_failed', 'expired', 'cancelled'].includes(outcome),
      ),
      ({ model, role, complexity }) => [model, role, complexity],
    ).map(([key, rows]) => {
      const wins = having(rows, ({ success }) => success);
      return [
        ...key,
        rows.length,
        wins,
        share(wins, rows.length),
        round(average(rows.map(({ cost_usd }) => cost_usd)), 4),
      ];
    }),
  'pass-rate-by-tool-version': ({ quality_gates }) =>
    groups(
      quality_gates.filter(({ tool }) => tool !== null),
      ({ gate, tool, tool_version }) => [gate, tool, tool_version],
    ).map(([key, rows]) => [
      ...key,
      rows.map(({ timestamp }) => timestamp).toSorted()[0] ?? null,
      having(rows, hasResult),
      share(having(rows, passed), having(rows, hasResult)),
    ]),
  'signals-that-never-fail': ({ completion_signals }) =>
    groups(completion_signals, ({ type, subject }) => [type, subject])
      .filter(([, rows]) => !rows.some(failed))
      .map(([key, rows]) => [
        ...key,
        rows.length,
        having(rows, passed),
        having(rows, (row) => !hasResult(row)),
        latest(rows.map(({ timestamp }) => timestamp)),
      ]),
  'slow-gates': ({ quality_gates }) =>
    groups(
      quality_gates.filter(({ cached }) => !cached),
      ({ gate }) => [gate],
    ).map(([key, rows]) => [
      ...key,
      rows.length,
      ...[0.5, 0.9].map((p) =>
        round(
          divided(
            percentile(
              rows.map(({ duration_ms }) => duration_ms),
              p,
            ),
            1_000,
          ),
          2,
        ),
      ),
      round(seconds(rows), 1),
      having(rows, ({ outcome }) => outcome === 'timed_out'),
    ]),
  'time-by-status': ({ tasks }) => {
    const spans = groups(tasks, ({ task_id }) => [task_id]).flatMap(([, rows]) => {
      const ordered = rows.toSorted((a, b) => a.version - b.version);
      return ordered.map(({ previous_status, age_ms }, index) => ({
        status: previous_status,
        s: (age_ms - (ordered[index - 1]?.age_ms ?? 0)) / 1_000,
      }));
    });
    return groups(
      spans.filter(({ status }) => status !== null),
      ({ status }) => [status],
    ).map(([key, rows]) => {
      const all = rows.map(({ s }) => s);
      return [
        ...key,
        rows.length,
        ...[0.5, 0.9].map((p) => round(percentile(all, p), 1)),
        round(divided(sum(all), 3_600), 2),
      ];
    });
  },
  'unverified-ratio-by-day': ({ verification_nudges }) =>
    groups(verification_nudges, ({ dt }) => [dt]).map(([key, rows]) => {
      const unverified = having(rows, ({ verified }) => !verified);
      return [
        ...key,
        rows.length,
        unverified,
        share(unverified, rows.length),
        having(rows, ({ tests_run }) => tests_run),
        having(rows, ({ quality_gates_run }) => quality_gates_run),
        having(rows, ({ completion_signals_checked }) => completion_signals_checked),
      ];
    }),
  'waiting-for-review': ({ reviews }) =>
    groups(reviews, ({ role }) => [role]).map(([key, rows]) => {
      const waits = rows.map(({ waited_s }) => waited_s);
      const hours = (value: number | null) => round(divided(value, 3_600), 2);
      return [
        ...key,
        rows.length,
        having(rows, ({ decision }) => decision === 'approve'),
        having(rows, ({ decision }) => decision === 'reject'),
        having(rows, ({ decision }) => decision === null),
        hours(percentile(waits, 0.5)),
        hours(percentile(waits, 0.9)),
        hours(Math.max(...waits)),
      ];
    }),
  escalations: ({ cascade_attempts }) =>
    groups(
      cascade_attempts.filter(({ escalated }) => escalated),
      ({ role, complexity, model, escalation_reason }) => [role, complexity, model, escalation_reason],
    ).map(([key, rows]) => [
      ...key,
      rows.length,
      round(sum(rows.map(({ cost_usd }) => cost_usd)), 4),
      having(rows, ({ task_succeeded }) => task_succeeded),
    ]),
  'why-tasks-fail': ({ tasks }) =>
    groups(
      tasks.filter(({ status }) => status === 'failed'),
      ({ failure_code, role }) => [failure_code ?? 'unknown', role],
    ).map(([key, rows]) => [
      ...key,
      rows.length,
      new Set(rows.map(({ task_id }) => task_id)).size,
      latest(rows.map(({ timestamp }) => timestamp)),
    ]),
};
