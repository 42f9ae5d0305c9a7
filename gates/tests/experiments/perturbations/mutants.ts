import { isRustTestModule } from '../../../code/parsing/definitions.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import type { Language } from '../../../core/language.ts';
import { findStubbableFunctions } from './stubbable-functions.ts';

/** One small change of code that a test should notice. */
export interface Mutant {
  /** Offsets in the source, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** 1-based. */
  readonly line: number;
  readonly description: string;
  /** A function does nothing: also tests that ask for little notice that. */
  readonly coarse: boolean;
}

const OPERATOR_MUTATIONS: Readonly<Record<string, string>> = {
  '==': '!=',
  '!=': '==',
  '===': '!==',
  '!==': '===',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  and: 'or',
  or: 'and',
};
export const isOperator = (text: string): boolean => Object.hasOwn(OPERATOR_MUTATIONS, text);
const BOOLEAN_MUTATIONS: Readonly<Record<string, string>> = {
  true: 'false',
  false: 'true',
  True: 'False',
  False: 'True',
};
const NUMBER_NODES = new Set([
  'number',
  'integer',
  'float',
  'int_literal',
  'float_literal',
  'integer_literal',
]);
const BINARY_NODES = new Set([
  'binary_expression',
  'binary_operator',
  'comparison_operator',
  'boolean_operator',
  'augmented_assignment',
  'augmented_assignment_expression',
]);
/** Where a changed value would be another type, or says nothing about what the code does. */
const SKIPPED_NODES = new Set([
  'import_statement',
  'import_from_statement',
  'import_declaration',
  'use_declaration',
  'type_annotation',
  'type_alias_declaration',
  'interface_declaration',
  'type_arguments',
  'attribute_item',
  'decorator',
  'comment',
  'line_comment',
  'block_comment',
  'package_clause',
  'struct_type',
  'string',
  'interpreted_string_literal',
  'raw_string_literal',
]);

/** What a `return` answers instead where the language knows no types; elsewhere the function as a whole does. */
const NULL_VALUE: Readonly<Partial<Record<Language, string>>> = { python: 'None', javascript: 'undefined' };

/**
 * The mutants of some lines of a file. Each changes one place, or has one function do nothing; strings, types and imports are left alone.
 * @param lines 1-based lines that may be changed.
 */
export function generateMutants(root: SyntaxNode, language: Language, lines: ReadonlySet<number>): Mutant[] {
  const found: Mutant[] = [];
  const add = (node: SyntaxNode, instead: string, says: string): void => {
    if (lines.has(node.line))
      found.push({
        start: node.start,
        end: node.end,
        replacement: instead,
        line: node.line,
        description: says,
        coarse: false,
      });
  };
  for (const node of root.walk((inner) => !SKIPPED_NODES.has(inner.type) && !isRustTestModule(inner))) {
    if (BINARY_NODES.has(node.type))
      for (const operator of node.children) {
        const instead = operator.named ? undefined : OPERATOR_MUTATIONS[operator.text];
        if (instead !== undefined) add(operator, instead, `${operator.text} becomes ${instead}`);
      }
    const flipped =
      node.children.length === 0 || node.type === 'boolean_literal'
        ? BOOLEAN_MUTATIONS[node.text]
        : undefined;
    if (flipped !== undefined && (node.named || node.type === node.text))
      add(node, flipped, `${node.text} becomes ${flipped}`);
    if (NUMBER_NODES.has(node.type) && /^\d+$/.test(node.text)) {
      const instead = String(Number(node.text) + 1);
      add(node, instead, `${node.text} becomes ${instead}`);
    }
    const nothing = NULL_VALUE[language];
    if (node.type === 'return_statement' && nothing !== undefined) {
      const value = node.namedChildren[0];
      if (value && value.text !== nothing && value.type !== 'comment')
        add(value, nothing, `answers ${nothing}`);
    }
  }
  for (const {
    name,
    firstLine,
    lastLine,
    start,
    end,
    returnsNothing,
    alreadyReturnsNothing,
  } of findStubbableFunctions(root, language)) {
    const line = firstAllowedLine(lines, firstLine, lastLine);
    if (returnsNothing !== null && line !== null && !alreadyReturnsNothing)
      found.push({
        start,
        end,
        replacement: returnsNothing,
        line,
        description: `${name} does nothing`,
        coarse: true,
      });
  }
  return found;
}

/** The first line of a stretch that may be changed. */
export function firstAllowedLine(lines: ReadonlySet<number>, from: number, to: number): number | null {
  for (let line = from; line <= to; line++) if (lines.has(line)) return line;
  return null;
}

/** The source with one mutant in it. */
export const applyMutant = (source: string, { start, end, replacement }: Mutant): string =>
  source.slice(0, start) + replacement + source.slice(end);
