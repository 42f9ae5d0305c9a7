import type { CodeFile } from '../../code/code-files.ts';
import type { SyntaxNode } from '../../code/parsing/syntax-node.ts';
import { runPatchCodeCheck } from '../../code/patch-code.ts';
import { SyntaxTreeReader } from '../../code/syntax-reader.ts';
import { findUnreadableChangedFiles } from '../../code/unreadable-changes.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { buildGateResult } from '../../core/gate-finding.ts';
import { type Language, languageOfGrammar } from '../../core/language.ts';

interface CountedNodes {
  /** What has a complexity of its own; functions inside that are not named here count for the one around them. */
  readonly functions: ReadonlySet<string>;
  /** What adds a way through the code. */
  readonly branches: ReadonlySet<string>;
}

const COUNTED_NODES: Readonly<Record<Language, CountedNodes>> = {
  python: {
    functions: new Set(['function_definition']),
    branches: new Set([
      'if_statement',
      'elif_clause',
      'for_statement',
      'while_statement',
      'except_clause',
      'except_group_clause',
      'conditional_expression',
      'for_in_clause',
      'if_clause',
      'case_clause',
      'boolean_operator',
    ]),
  },
  javascript: {
    functions: new Set([
      'function_declaration',
      'function_expression',
      'generator_function',
      'generator_function_declaration',
      'arrow_function',
      'method_definition',
    ]),
    branches: new Set([
      'if_statement',
      'for_statement',
      'for_in_statement',
      'while_statement',
      'do_statement',
      'switch_case',
      'catch_clause',
      'ternary_expression',
    ]),
  },
  go: {
    functions: new Set(['function_declaration', 'method_declaration']),
    branches: new Set([
      'if_statement',
      'for_statement',
      'expression_case',
      'type_case',
      'communication_case',
    ]),
  },
  rust: {
    functions: new Set(['function_item']),
    branches: new Set([
      'if_expression',
      'while_expression',
      'for_expression',
      'loop_expression',
      'match_arm',
    ]),
  },
};

const SHORT_CIRCUIT = new Set(['&&', '||', '??']);

/** McCabe's cyclomatic complexity of each function: one, and one for each branch. */
function computeComplexities(root: SyntaxNode, language: Language): number[] {
  const { functions, branches } = COUNTED_NODES[language];
  const counts = new Map<SyntaxNode, number>();
  for (const node of root.walk()) {
    if (functions.has(node.type) && !counts.has(node)) counts.set(node, 1);
    if (!branches.has(node.type) && !isShortCircuit(node)) continue;
    for (const around of node.ancestors()) {
      if (!functions.has(around.type)) continue;
      counts.set(around, (counts.get(around) ?? 1) + 1);
      break;
    }
  }
  return [...counts.values()];
}

const isShortCircuit = (node: SyntaxNode): boolean =>
  node.type === 'binary_expression' && SHORT_CIRCUIT.has(node.childForField('operator')?.text ?? '');

const mean = (numbers: readonly number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/**
 * The average complexity of the changed files on both sides, counted by us. Code that the patch breaks is not measured, and not
 * passed over either.
 */
export const compareBuiltInComplexity = (
  context: GateContext,
  judge: (base: number, current: number) => GateResult,
): Promise<GateResult> =>
  runPatchCodeCheck(context, async ({ project, changed, deadlineCpuMs }) => {
    const { store } = context.subject;
    const unreadable = (await findUnreadableChangedFiles(store, project, changed)).filter(({ severity }) =>
      ['error', 'warning'].includes(severity),
    );
    if (unreadable.length > 0) return buildGateResult(unreadable, '');
    const reader = new SyntaxTreeReader(store, deadlineCpuMs);
    const average = async (files: readonly (CodeFile | null)[]): Promise<number> => {
      const numbers: number[] = [];
      for (const file of files) {
        const root = file && (await reader.readSyntax(file));
        if (file && root) numbers.push(...computeComplexities(root, languageOfGrammar(file.grammar)));
      }
      return mean(numbers);
    };
    return judge(
      await average(changed.map(({ before }) => before)),
      await average(changed.map(({ after }) => after)),
    );
  });
