import { createHash } from 'node:crypto';
import { isTestPath } from '../../../../shared/contract/evidence/test-path.ts';
import { editTree, writeBlob } from '../../../../workspace/git/edit-tree.ts';
import { isRegularFile } from '../../../../workspace/git/list-files.ts';
import { readBlobs } from '../../../../workspace/git/read-blobs.ts';
import { replaceRustInlineTests } from '../../../code/cases/rust-inline-tests.ts';
import { isRustTestModule } from '../../../code/parsing/definitions.ts';
import { parseSource } from '../../../code/parsing/parse-source.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import { UnreadableCodeError } from '../../../code/parsing/unreadable-code-error.ts';
import { createBaseFileReader } from '../../../core/base-file-reader.ts';
import {
  grammarOfPath,
  isProjectCodePath,
  type Language,
  languageOfGrammar,
} from '../../../core/language.ts';
import type { PatchToCheck } from '../../../core/patch-to-check.ts';
import type { CompletedCommandRun } from '../../running/command-run.ts';
import { findStubbableFunctions } from './rewrite-functions.ts';

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
export const isMutableOperator = (text: string): boolean => Object.hasOwn(OPERATOR_MUTATIONS, text);
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
    const line = findFirstMutableLine(lines, firstLine, lastLine);
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
function findFirstMutableLine(lines: ReadonlySet<number>, from: number, to: number): number | null {
  for (let line = from; line <= to; line++) if (lines.has(line)) return line;
  return null;
}

/** The source with one mutant in it. */
export const applyMutant = (source: string, { start, end, replacement }: Mutant): string =>
  source.slice(0, start) + replacement + source.slice(end);

/** A mutant of one file of the patch. */
export interface FileMutant extends Mutant {
  readonly path: string;
}

const mutantRank = ({ path, start, description }: FileMutant): string =>
  createHash('sha256').update(`${path}\0${start}\0${description}`).digest('hex');

/**
 * Some of many mutants, the same ones each time, spread over files and lines: the first of every line in the order of a hash, then the
 * second, and so on.
 */
export function sampleMutants(mutants: readonly FileMutant[], most: number): FileMutant[] {
  const lines = new Map<string, FileMutant[]>();
  for (const each of mutants.toSorted((a, b) => (mutantRank(a) < mutantRank(b) ? -1 : 1)))
    lines.set(`${each.path}\0${each.line}`, [...(lines.get(`${each.path}\0${each.line}`) ?? []), each]);
  const rounds: FileMutant[] = [];
  for (let round = 0; rounds.length < mutants.length; round++)
    for (const line of lines.values()) {
      const each = line[round];
      if (each) rounds.push(each);
    }
  return rounds.slice(0, most);
}

/** A source file whose code may be changed. */
export interface MutableSourceFile {
  readonly path: string;
  readonly mode: string;
  readonly source: string;
  readonly mutants: readonly Mutant[];
  /** Functions that have such a line. */
  readonly functionCount: number;
}

/** Whether a line, 1-based, may be changed. */
export type IsMutableLine = (path: string, line: number) => boolean;

/** Longest file, in lines, that is looked at. */
const MAX_LINES = 50_000;

/** The mutants of these files of a tree; tests, and what cannot be read, have none. */
export async function readMutableSourceFiles(
  { store }: Pick<PatchToCheck, 'store'>,
  files: readonly { readonly path: string; readonly id: string; readonly mode: string }[],
  mayChange: IsMutableLine,
): Promise<MutableSourceFile[]> {
  const wanted = files.filter(
    (file) => isRegularFile(file) && isProjectCodePath(file.path) && !isTestPath(file.path),
  );
  const blobs = await readBlobs(
    store,
    wanted.map(({ id }) => id),
  );
  const found: MutableSourceFile[] = [];
  for (const { path, id, mode } of wanted) {
    const grammar = grammarOfPath(path);
    const source = blobs.get(id)?.toString('utf8');
    if (grammar === null || source === undefined) continue;
    const count = Math.min(source.split('\n').length, MAX_LINES);
    const lines = new Set(
      Array.from({ length: count }, (_, at) => at + 1).filter((line) => mayChange(path, line)),
    );
    if (lines.size === 0) continue;
    try {
      const { root } = await parseSource(grammar, source);
      const language = languageOfGrammar(grammar);
      found.push({
        path,
        mode,
        source,
        mutants: generateMutants(root, language, lines),
        functionCount: findStubbableFunctions(root, language).filter(
          ({ firstLine, lastLine }) => findFirstMutableLine(lines, firstLine, lastLine) !== null,
        ).length,
      });
    } catch (error) {
      if (!(error instanceof UnreadableCodeError)) throw error;
    }
  }
  return found;
}

/** Whether the patch writes to what a function of the code does, and not to values and names alone. */
export async function hasChangedFunctionBodies(
  subject: PatchToCheck,
  mayChange: IsMutableLine,
): Promise<boolean> {
  const changed = subject.changes.flatMap(({ path, headEntry }) =>
    headEntry ? [{ path, id: headEntry.id, mode: headEntry.mode }] : [],
  );
  return (await readMutableSourceFiles(subject, changed, mayChange)).some(
    ({ functionCount }) => functionCount > 0,
  );
}

interface ReadyMutantOptions {
  readonly store: PatchToCheck['store'];
  readonly files: readonly MutableSourceFile[];
  /** Most mutants that are tried. */
  readonly most: number;
}

/** A mutant, ready to be put into a tree. */
export interface TreeMutant extends FileMutant {
  /** A tree with the mutant in it. */
  applyTo(tree: string): Promise<string>;
}

/** Prepares a sample of the mutants of some files. */
export function prepareTreeMutants({ store, files, most }: ReadyMutantOptions): TreeMutant[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const all = files.flatMap(({ path, mutants }) => mutants.map((each): FileMutant => ({ ...each, path })));
  return sampleMutants(all, most).flatMap((mutant): TreeMutant[] => {
    const file = byPath.get(mutant.path);
    if (!file) return [];
    const text = applyMutant(file.source, mutant);
    const applyTo = async (tree: string): Promise<string> => {
      const there = await readInlineTestsHost(store, tree, mutant.path);
      const id = writeBlob(store, (there && (await replaceRustInlineTests(text, there))) ?? text);
      return editTree(store, tree, [{ path: mutant.path, entry: { id, mode: file.mode } }]);
    };
    return [{ ...mutant, applyTo }];
  });
}

/** The text of a file of Rust in a tree: its tests beside the code may be others there. */
const readInlineTestsHost = async (
  store: PatchToCheck['store'],
  tree: string,
  path: string,
): Promise<string | null> => (path.endsWith('.rs') ? createBaseFileReader(store, tree)(path) : null);

/** Time for a mutant, in milliseconds: what never ends must not take all that the gate has. */
export const computeMutantTimeLimitMs = ({
  processResult,
}: Pick<CompletedCommandRun, 'processResult'>): number => 5_000 + 4 * processResult.durationMs;

/** What tests say of a mutant; null: they could not run. What does not even build, or never ends, was noticed. */
export const isMutantKilled = ({ outcome }: Pick<CompletedCommandRun, 'outcome'>): boolean | null =>
  outcome === 'passed' ? false : outcome === 'failed' || outcome === 'timed_out' ? true : null;
