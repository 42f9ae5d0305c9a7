import {
  findDowngradeProblems,
  type MigrationDirectionEffect,
  type MigrationProblem,
} from './migration-problem.ts';
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

interface FunctionDefinition {
  readonly line: number;
  readonly body: readonly PythonStatement[];
}

/** The last function of that name: it is the one that counts. */
function findFunctionDefinition(
  statements: readonly PythonStatement[],
  name: string,
): FunctionDefinition | null {
  const head = new RegExp(`^(?:async\\s+)?def\\s+${name}\\s*\\(`);
  const at = statements.findLastIndex(({ code }) => head.test(code));
  const found = statements[at];
  if (!found) return null;
  const inline = afterColon(found.code);
  const body: PythonStatement[] = inline === '' ? [] : [{ ...found, indent: found.indent + 1, code: inline }];
  for (const statement of statements.slice(at + 1)) {
    // What follows a `;` in the line of the head is still part of it.
    if (statement.indent <= found.indent && !(inline !== '' && statement.line === found.line)) break;
    body.push(statement);
  }
  return { line: found.line, body };
}

/** What stands behind the colon that ends the head of a block. */
function afterColon(code: string): string {
  let depth = 0;
  for (let at = 0; at < code.length; at++) {
    const character = code[at] as string;
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
    else if (character === ':' && depth === 0) return code.slice(at + 1).trim();
  }
  return '';
}

const NEVER = /^(?:if|while|elif)[\s(]*(?:False|0|None|not\s+True|TYPE_CHECKING)[\s)]*:/;
const LEAVES = /^(?:raise|return|continue|break)\b/;
const CALL = /(?<![\w.])([A-Za-z_][\w.]*)\s*\(/g;
/** Calls that change nothing in a database. */
const IDLE =
  /^(?:print|len|str|repr|isinstance|getattr|list|dict|set|tuple|range|sorted|NotImplementedError|Exception|warn(?:ings\.warn)?|(?:logging|logger|log|LOG|LOGGER|_logger)\.\w+|op\.(?:get_bind|get_context|f|batch_alter_table)|context\.\w+|sa\.text|text|sys\.\w+|time\.sleep)$/;
const QUERY_ONLY = /^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[^*]*\*\/)*(?:select\b[\s\S]*)?$/i;

/** What the body of a function does, as far as its text tells. */
function detectPythonEffect(body: readonly PythonStatement[]): MigrationDirectionEffect {
  let refuses = false;
  const level = body[0]?.indent ?? 0;
  for (let at = 0; at < body.length; at++) {
    const { code, strings, indent } = body[at] as PythonStatement;
    if (NEVER.test(code)) {
      while ((body[at + 1]?.indent ?? -1) > indent) at++;
      continue;
    }
    if (/^raise\b/.test(code)) refuses = true;
    else if (works(code, strings)) return 'works';
    if (!LEAVES.test(code)) continue;
    if (indent <= level) break;
    // Nothing that follows in the same block is ever reached.
    while ((body[at + 1]?.indent ?? -1) >= indent) at++;
  }
  return refuses ? 'refuses' : 'nothing';
}

function works(code: string, strings: readonly string[]): boolean {
  for (const call of code.matchAll(CALL)) {
    const [whole, name = ''] = call;
    if (IDLE.test(name)) continue;
    if (/(?:^|\.)(?:execute|exec_driver_sql|run_sql)$/.test(name)) {
      const rest = code.slice(call.index + whole.length);
      const literal = /^\s*(?:(?:sa\.)?text\s*\(\s*)?"#(\d+)"/.exec(rest)?.[1];
      if (literal !== undefined && QUERY_ONLY.test(strings[Number(literal)] ?? '')) continue;
    }
    return true;
  }
  return false;
}
