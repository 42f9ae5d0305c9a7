import { blankCommentsAndStrings } from '../tests/comments-and-strings.ts';
import {
  findDowngradeProblems,
  type MigrationDirectionEffect,
  type MigrationProblem,
} from './migration-problem.ts';

const PATH = /(?:^|\/)migrations?\/(?:.*\/)?[^/]+\.[cm]?[jt]s$/i;
const HAS_UP =
  /\bexports\.up\b|\bexport\s+(?:async\s+)?function\s*\*?\s*up\b|\bexport\s+(?:const|let|var)\s+up\b|^[ \t]*(?:public[ \t]+)?(?:async[ \t]+)?up[ \t]*\(|\bup\s*:\s*(?:async\b|function\b|\()/m;

/** Whether it is a migration of Knex, Sequelize, TypeORM, node-pg-migrate or the like. */
export const isJavascriptMigration = (path: string, text: string): boolean =>
  PATH.test(path) && !path.endsWith('.d.ts') && HAS_UP.test(text);

interface FunctionBody {
  readonly line: number;
  /** With strings and comments blanked out. */
  readonly body: string;
}

/** The last function of that name, or the value that stands in its place. */
function functionOf(path: string, text: string, name: string): FunctionBody | null {
  const code = blankCommentsAndStrings(path, text);
  const heads = new RegExp(
    `\\bexports\\.${name}\\s*=|\\bexport\\s+(?:async\\s+)?function\\s*\\*?\\s*${name}\\b|\\bexport\\s+(?:const|let|var)\\s+${name}\\b[^=\\n]*=|^[ \\t]*(?:public\\s+)?(?:async\\s+)?${name}\\s*(?=\\()|\\b${name}\\s*:\\s*(?=async\\b|function\\b|\\(|false\\b|null\\b)|^[ \\t]*(?:async\\s+)?function\\s+${name}\\b|^[ \\t]*(?:const|let|var)\\s+${name}\\b[^=\\n]*=`,
    'gm',
  );
  const head = [...code.matchAll(heads)].at(-1);
  if (!head) return null;
  const from = head.index + head[0].length;
  return { line: code.slice(0, head.index).split('\n').length, body: bodyFrom(code, text, from) };
}

/** The block or expression of a function whose parameters begin at or behind `from`. Empty queries in it are left out. */
function bodyFrom(code: string, text: string, from: number): string {
  const open = blockAfter(code, from);
  const end = open === null ? expressionEnd(code, from) : closing(code, open);
  const start = open === null ? from : open + 1;
  const body = withoutIdleQueries(code.slice(start, end), text.slice(start, end));
  const arrow = open === null ? body.indexOf('=>') : -1;
  return arrow < 0 ? body : body.slice(arrow + 2);
}

/** The brace that opens the body: the first one outside of the parameters and of a return type. */
function blockAfter(code: string, from: number): number | null {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    const character = code[at];
    if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (depth === 0 && character === '{') return at;
    else if (
      depth === 0 &&
      (character === ';' ||
        (character === '=' && code[at + 1] === '>' && !/^=>\s*\{/.test(code.slice(at, at + 40))))
    )
      return null;
  }
  return null;
}

function closing(code: string, open: number): number {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    if (code[at] === '{') depth++;
    else if (code[at] === '}' && --depth === 0) return at;
  }
  return code.length;
}

function expressionEnd(code: string, from: number): number {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    const character = code[at] ?? '';
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character) && --depth < 0) return at;
    else if (depth === 0 && (character === ';' || (character === ',' && at > from))) return at;
  }
  return code.length;
}

const QUERY =
  /\b(?:raw|query|sql|execute|runSql)\s*\(\s*(["'`])\s*(?:select\b[^"'`]{0,2000}|--[^"'`]{0,2000})?;?\s*\1\s*\)/gi;

/** Blanks calls with an empty text or a mere query. */
function withoutIdleQueries(code: string, text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(QUERY)) {
    parts.push(code.slice(from, match.index), ' '.repeat(match[0].length));
    from = match.index + match[0].length;
  }
  return parts.join('') + code.slice(from);
}

const IDLE =
  /^(?:console\.\w+|Promise\.(?:resolve|all)|Error|require|if|for|while|switch|catch|function|log(?:ger)?\.\w+)$/;
const CALL = /(?<![\w$.])([A-Za-z_$][\w$.]*)\s*(?:<[^<>()]{0,80}>\s*)?\(/g;

function effectOf(body: string): MigrationDirectionEffect {
  const leaves =
    /(?:^|[;{}\n])[ \t\r]*(throw\b|return[ \t]*(?:;|\n|$|null\b|undefined\b|true\b|false\b|Promise\.resolve\(\s*\)))/.exec(
      body,
    );
  const reached = leaves && depthAt(body, leaves.index) === 0 ? body.slice(0, leaves.index) : body;
  for (const [, name = ''] of reached.matchAll(CALL)) if (!IDLE.test(name)) return 'works';
  return leaves?.[1] === 'throw' ? 'refuses' : 'nothing';
}

const depthAt = (code: string, to: number): number => {
  let depth = 0;
  for (let at = 0; at < to; at++) {
    if (code[at] === '{') depth++;
    else if (code[at] === '}') depth--;
  }
  return depth;
};

export function findJavascriptMigrationProblems(path: string, text: string): MigrationProblem[] {
  const up = functionOf(path, text, 'up');
  const down = functionOf(path, text, 'down');
  return findDowngradeProblems(
    up && effectOf(up.body),
    down && { effect: effectOf(down.body), line: down.line },
    {
      forward: 'up',
      back: 'down',
    },
  );
}
