import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_CLI_KINDS, AGENT_CLI_MANIFESTS } from '../../shared/contract/agents/adapter-manifests.ts';
import { formatCost, formatDuration } from '../../shared/lib/format.ts';

/** One run of a CLI in which something went wrong, as the platform has seen it. */
export interface FailureRow {
  readonly kind: string;
  readonly name: string;
  /** Class that the cascade goes by; null: no failure. */
  readonly class: string | null;
  readonly calls: number;
  readonly ms: number;
  readonly micro_usd: number;
  readonly estimated_micro_usd: number;
}

const ROWS = join(import.meta.dirname, '../../.cache/agent-clis/failure-rows.jsonl');

/** Forgets the rows of an earlier run. */
export const clearFailureRows = (): void => rmSync(ROWS, { force: true });
export const appendFailureRow = (row: FailureRow): void => appendFileSync(ROWS, `${JSON.stringify(row)}\n`);

/** Reads the rows of the last run; the last one of each CLI and failure counts. */
export function readFailureRows(): FailureRow[] {
  if (!existsSync(ROWS)) return [];
  const rows = readFileSync(ROWS, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FailureRow);
  return [...new Map(rows.map((row) => [`${row.kind} ${row.name}`, row])).values()];
}

/** Renders the page of failure modes from measured rows. */
export function renderFailurePage(rows: readonly FailureRow[], day: string): string {
  const sections = AGENT_CLI_KINDS.flatMap((kind) => {
    const own = rows.filter((row) => row.kind === kind);
    if (own.length === 0) return [];
    const { version } = AGENT_CLI_MANIFESTS[kind].install;
    return [
      `## ${kind} ${version}`,
      '',
      '| Failure | Class | Requests | Time until the task moves on | Cost recorded |',
      '|---|---|---|---|---|',
      ...own.map((row) => {
        const cost = formatCost(row.micro_usd / 1e6, row.estimated_micro_usd / 1e6);
        return `| ${row.name} | ${row.class ?? 'none'} | ${row.calls} | ${formatDuration(row.ms)} | ${cost} |`;
      }),
      '',
    ];
  });
  return [
    '# Failure modes of the agent CLIs',
    '',
    'For operators who want to know what a failing provider costs them. Written by `npm run test:cli -- --table` from runs of the real CLIs',
    `against a scripted model endpoint, on ${day}. Times are of a machine that was busy with other work: they are upper bounds.`,
    '',
    ...sections,
  ].join('\n');
}
