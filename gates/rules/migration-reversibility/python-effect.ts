import type { MigrationEffect } from './migration-problem.ts';
import type { PythonStatement } from './python-statements.ts';

export interface FunctionDefinition {
  readonly line: number;
  readonly body: readonly PythonStatement[];
}

/** The last function of that name: it is the one that counts. */
export function findFunctionDefinition(
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

const NEVER = /^(?:if|while|elif)\s*\(?\s*(?:False|0|None|not\s+True|TYPE_CHECKING)\s*\)?\s*:/;
const LEAVES = /^(?:raise|return|continue|break)\b/;
const CALL = /(?<![\w.])([A-Za-z_][\w.]*)\s*\(/g;
/** Calls that change nothing in a database. */
const IDLE =
  /^(?:print|len|str|repr|isinstance|getattr|list|dict|set|tuple|range|sorted|NotImplementedError|Exception|warn(?:ings\.warn)?|(?:logging|logger|log|LOG|LOGGER|_logger)\.\w+|op\.(?:get_bind|get_context|f|batch_alter_table)|context\.\w+|sa\.text|text|sys\.\w+|time\.sleep)$/;
const QUERY_ONLY = /^(?:\s|;|--[^\n]*(?:\n|$)|\/\*[^*]*\*\/)*(?:select\b[\s\S]*)?$/i;

/** What the body of a function does, as far as its text tells. */
export function detectPythonEffect(body: readonly PythonStatement[]): MigrationEffect {
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
