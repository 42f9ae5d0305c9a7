import {
  findDowngradeProblems,
  type MigrationDirectionEffect,
  type MigrationProblem,
} from './migration-problem.ts';

const RAILS = /(?:^|\/)db\/(?:\w+_)?migrate\/[^/]+\.rb$/;
export const isRailsMigration = (path: string): boolean => RAILS.test(path);

interface RubyMethod {
  readonly line: number;
  readonly body: readonly { readonly line: number; readonly code: string }[];
}

/** By hand: a pattern would go over the spaces of a long line again at each of them. */
function withoutEnd(code: string): string {
  const text = code.trimEnd();
  return text.endsWith('end') ? text.slice(0, -'end'.length).trimEnd().replace(/;$/, '') : code;
}

/** A method, by the indentation of its `end`. */
function methodOf(lines: readonly string[], name: string): RubyMethod | null {
  const head = new RegExp(`^([ \\t]*)def (?:self\\.)?${name}\\b[ \\t]*(?:\\(\\))?[ \\t]*(;.*|=.*)?$`);
  const at = lines.findLastIndex((line) => head.test(line));
  const match = head.exec(lines[at] ?? '');
  if (!match) return null;
  const [, indent = '', inline] = match;
  if (inline !== undefined) {
    const code = withoutEnd(inline.replace(/^[;=]\s*/, ''));
    return { line: at + 1, body: [{ line: at + 1, code }] };
  }
  const length = lines.slice(at + 1).findIndex((line) => line.startsWith(`${indent}end`));
  const body = lines.slice(at + 1, length < 0 ? undefined : at + 1 + length);
  return { line: at + 1, body: body.map((code, index) => ({ line: at + 2 + index, code })) };
}

function effectOf(method: RubyMethod): MigrationDirectionEffect {
  for (const { code } of method.body) {
    const bare = code.trim();
    if (bare === '' || /^(?:nil|true|false|puts\b.*|say\b.*|end|#.*)$/.test(bare)) continue;
    if (/^raise\b/.test(bare)) return 'refuses';
    if (/^return\b(?!.*\()/.test(bare)) return 'nothing';
    return 'works';
  }
  return 'nothing';
}

/** A step that Rails cannot reverse by itself; `lacks`: what the step would have to name for that. */
interface IrreversibleStep {
  readonly step: string;
  readonly lacks: 'columns' | 'type' | 'from_and_to' | null;
}

const LACKS = {
  columns: ' without its columns',
  type: ' without a type',
  from_and_to: ' without from and to',
};

const renderIrreversibleStep = ({ step, lacks }: IrreversibleStep): string =>
  `${step}${lacks === null ? '' : LACKS[lacks]} cannot be taken back in change`;

function findIrreversibleStep(code: string): IrreversibleStep | null {
  const step =
    /^\s*(execute|change_column|drop_table|remove_columns?|change_column_default)\b[ (]*(.*)$/.exec(code);
  if (!step) return null;
  const [, name = '', rest = ''] = step;
  const given = rest.split(',').length;
  const unless = (isReversible: boolean, lacks: IrreversibleStep['lacks']): IrreversibleStep | null =>
    isReversible ? null : { step: name, lacks };
  if (name === 'drop_table') return unless(/\bdo\b|\{/.test(rest), 'columns');
  if (name === 'remove_column') return unless(given >= 3, 'type');
  if (name === 'remove_columns') return unless(/\btype:/.test(rest), 'type');
  if (name === 'change_column_default') return unless(/\bfrom:/.test(rest), 'from_and_to');
  return { step: name, lacks: null };
}

export function findRailsMigrationProblems(text: string): MigrationProblem[] {
  const lines = text.split('\n').map((line) => line.replace(/^\s*#.*$/, '').trimEnd());
  const change = methodOf(lines, 'change');
  if (change) {
    // What stands in such a block says itself what to do on the way back.
    if (change.body.some(({ code }) => /\breversible\b|\brevert\b|\bup_only\b/.test(code))) return [];
    return change.body.flatMap(({ code, line }): MigrationProblem[] => {
      const step = findIrreversibleStep(code);
      return step === null
        ? []
        : [{ line, rule: 'irreversible_step', message: renderIrreversibleStep(step) }];
    });
  }
  const up = methodOf(lines, 'up');
  const down = methodOf(lines, 'down');
  return findDowngradeProblems(up && effectOf(up), down && { effect: effectOf(down), line: down.line }, {
    forward: 'up',
    back: 'down',
  });
}
