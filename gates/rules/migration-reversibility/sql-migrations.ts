import type { MigrationProblem } from './migration-problem.ts';

function withoutComments(sql: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let open = sql.indexOf('/*'); open >= 0; open = sql.indexOf('/*', from)) {
    parts.push(sql.slice(from, open));
    const close = sql.indexOf('*/', open + 2);
    from = close < 0 ? sql.length : close + 2;
  }
  return parts.join(' ') + sql.slice(from);
}

/** Whether SQL does anything: more than comments, queries and the ends of statements. */
function changesSomething(sql: string): boolean {
  const bare = withoutComments(sql.replace(/--[^\n]*/g, ''))
    .split(';')
    .map((statement) => statement.trim());
  return bare.some(
    (statement) => statement !== '' && !/^(?:select|begin|commit|start transaction|set)\b/i.test(statement),
  );
}

const UP_NAME = /(^|\/)([^/]*?)([._-])up\.sql$/i;
const DOWN_NAME = /(^|\/)([^/]*?)([._-])down\.sql$/i;
const FOLDER = /(?:^|\/)(?:migrations?|migrate)\//i;

/** Path of the file that takes this one back, or null when its name does not say that there is one. */
export const findDownMigrationPath = (path: string): string | null =>
  FOLDER.test(path) && UP_NAME.test(path) ? path.replace(/up(\.sql)$/i, 'down$1') : null;
/** The other way round. */
export const findUpMigrationPath = (path: string): string | null =>
  FOLDER.test(path) && DOWN_NAME.test(path) ? path.replace(/down(\.sql)$/i, 'up$1') : null;

/** Lines by which tools divide one file into both directions: goose, sql-migrate, dbmate. */
const SECTION = /^[ \t]*--[ \t]*(?:\+goose|\+migrate|migrate:)[ \t]*(up|down)\b/i;

export const isBidirectionalSqlMigration = (path: string, text: string): boolean =>
  path.endsWith('.sql') && text.split('\n').some((line) => SECTION.test(line));

/** Problems of a file that holds both directions. */
export function findBidirectionalSqlProblems(text: string): MigrationProblem[] {
  const parts = { up: '', down: '' };
  let downLine: number | null = null;
  let now: 'up' | 'down' | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const section = SECTION.exec(line)?.[1]?.toLowerCase();
    if (section === 'up' || section === 'down') {
      now = section;
      if (section === 'down') downLine ??= index + 1;
    } else if (now) parts[now] += `${line}\n`;
  }
  if (!changesSomething(parts.up)) return [];
  if (downLine === null)
    return [{ line: null, rule: 'missing_downgrade', message: 'has no section for the way back' }];
  return changesSomething(parts.down)
    ? []
    : [{ line: downLine, rule: 'empty_downgrade', message: 'the section for the way back does nothing' }];
}

/** Problems of a file for one direction. @param down text of its twin, or null when there is none. */
export function findPairedSqlProblems(up: string, down: string | null, twin: string): MigrationProblem[] {
  if (!changesSomething(up)) return [];
  if (down === null) return [{ line: null, rule: 'missing_downgrade', message: `there is no ${twin}` }];
  return changesSomething(down)
    ? []
    : [{ line: null, rule: 'empty_downgrade', message: `${twin} does nothing` }];
}
