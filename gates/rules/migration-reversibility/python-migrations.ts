import { findDowngradeProblems, type MigrationProblem } from './migration-problem.ts';
import { detectPythonEffect, findFunctionDefinition } from './python-effect.ts';
import { type PythonStatement, splitPythonStatements } from './python-statements.ts';

const ALEMBIC_FOLDERS = /(?:^|\/)(?:alembic|migrations|db)\/versions\/[^/]+\.py$/;
const ALEMBIC_TEXT = /^down_revision\b[^\n]*=/m;
const DJANGO = /^class\s+Migration\s*\([^)]*\bMigration\s*\)/;

/** Whether a Python file is a migration, of Alembic or of Django. */
export const isPythonMigration = (path: string, text: string): boolean =>
  path.endsWith('.py') &&
  (ALEMBIC_FOLDERS.test(path) || ALEMBIC_TEXT.test(text) || /(?:^|\/)migrations\/[^/]+\.py$/.test(path));

export function findPythonMigrationProblems(path: string, text: string): MigrationProblem[] {
  const statements = splitPythonStatements(text);
  if (statements.some(({ code }) => DJANGO.test(code))) return djangoProblems(statements);
  if (!ALEMBIC_FOLDERS.test(path) && !ALEMBIC_TEXT.test(text)) return [];
  const upgrade = findFunctionDefinition(statements, 'upgrade');
  const downgrade = findFunctionDefinition(statements, 'downgrade');
  return findDowngradeProblems(
    upgrade && detectPythonEffect(upgrade.body),
    downgrade && { effect: detectPythonEffect(downgrade.body), line: downgrade.line },
    { forward: 'upgrade()', back: 'downgrade()' },
  );
}

const STEP = /\b(RunPython|RunSQL)\s*\(/g;
const REVERSE = { RunPython: 'reverse_code', RunSQL: 'reverse_sql' } as const;

/** Django takes its own steps back by itself; those with code or SQL of the project need to be told how. */
function djangoProblems(statements: readonly PythonStatement[]): MigrationProblem[] {
  return statements.flatMap(({ code, line }) =>
    [...code.matchAll(STEP)].flatMap((step): MigrationProblem[] => {
      const kind = step[1] as keyof typeof REVERSE;
      const given = argumentsOf(code, step.index + step[0].length);
      const named = given.find((argument) => new RegExp(`^${REVERSE[kind]}\\s*=`).test(argument));
      const reverse =
        named?.replace(/^\w+\s*=\s*/, '') ?? given.filter((argument) => !/^\w+\s*=[^=]/.test(argument))[1];
      if (reverse === undefined || reverse === 'None')
        return [{ line, rule: 'irreversible_step', message: `${kind} has no ${REVERSE[kind]}` }];
      const back = /^[A-Za-z_]\w*$/.test(reverse) ? findFunctionDefinition(statements, reverse) : null;
      return back && detectPythonEffect(back.body) === 'refuses'
        ? [{ line: back.line, rule: 'empty_downgrade', message: `${reverse}() only refuses` }]
        : [];
    }),
  );
}

/** Most of a call that is read, in characters. */
const MAX_CALL = 20_000;

/** The arguments of a call, from behind its opening bracket. */
function argumentsOf(code: string, from: number): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < Math.min(code.length, from + MAX_CALL); at++) {
    const character = code[at] as string;
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character) && --depth < 0) {
      found.push(code.slice(start, at));
      break;
    } else if (character === ',' && depth === 0) {
      found.push(code.slice(start, at));
      start = at + 1;
    }
  }
  return found.map((argument) => argument.trim()).filter((argument) => argument !== '');
}
