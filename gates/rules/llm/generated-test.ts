import * as z from 'zod';
import type { OnErrorAction } from '../../../shared/contract/submission/on-error.ts';
import type { ReviewPiece } from '../../../shared/reviews/engine/review-piece.ts';
import { PROMPTS } from '../../../shared/reviews/judging/prompts.ts';
import { editTree, writeBlob } from '../../../workspace/git/edit-tree.ts';
import { classifyProcessResult } from '../../../workspace/process/command-outcome.ts';
import { parseTestCases } from '../../code/cases/find-test-cases.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { grammarOfPath, type Language, languageOfGrammar } from '../../core/language.ts';
import { askModelForPurpose, createUnjudgedResult, withInjectionCheck } from './ask-model.ts';
import { readLimitedDiff } from './patch-diff.ts';

/** Where the test goes, so that it can import the project, and what runs it. We choose both: a model names no paths. */
interface TestLocation {
  readonly file: string;
  readonly command: string;
  readonly words: string;
}
const PLACES: Readonly<Partial<Record<Language, TestLocation>>> = {
  python: {
    file: 'tests/test_assay_generated.py',
    command: 'pytest -q {file}',
    words: 'a pytest file in Python',
  },
  javascript: {
    file: 'test/assay-generated.test.mjs',
    command: 'node --test {file}',
    words: 'an ES module for `node --test`, with node:test and node:assert',
  },
};

const Answer = z.strictObject({ code: z.string().min(1).max(50_000) });

const buildTestLocationMaterial = ({ file, words }: TestLocation): ReviewPiece => ({
  kind: 'test_location',
  label: 'where the test goes',
  text: `${words}, which will lie at ${file}`,
});

/** Asks for a test, runs it on the patch, and answers what came of it. Without a test that can be run, nobody has judged. */
export async function generateAndRunTest(
  context: GateContext,
  paths: readonly string[],
  {
    command: ownCommand,
    onError,
  }: { readonly command: string | null; readonly onError: OnErrorAction | undefined },
): Promise<GateResult> {
  const { subject, timeoutMs } = context;
  const left = subject.sandboxes.startTimeLimit(timeoutMs);
  const place = chooseTestLocation(paths);
  if (place === null)
    return createUnjudgedResult(
      'could_not_run',
      'tests can be generated for Python and JavaScript only',
      {},
      onError,
    );
  const asked = await askModelForPurpose(
    context,
    { purpose: 'test_writer' },
    {
      prompt: PROMPTS.integration_test_gen,
      maxTokens: 4_096,
      diff: await readLimitedDiff(subject, 10_000),
      extraMaterial: [buildTestLocationMaterial(place)],
      answerSchema: Answer,
      onError,
    },
  );
  if ('instead' in asked) return asked.instead;
  const { code } = asked.answer;
  const cases = (await parseTestCases(place.file, code)) ?? [];
  if (!cases.some(({ assertionCount, isSkipped }) => assertionCount > 0 && !isSkipped))
    return createUnjudgedResult(
      'could_not_run',
      'the model wrote no test that asserts anything',
      asked.metadata,
      onError,
    );
  const id = writeBlob(subject.store, code);
  const tree = await editTree(subject.store, subject.tree, [
    { path: place.file, entry: { id, mode: '100644' } },
  ]);
  const command = (ownCommand ?? place.command).replaceAll('{file}', place.file);
  const room = await subject.sandboxes.createSandbox(tree);
  const ran = await room.run({ line: command }, left());
  const { outcome, detail } = classifyProcessResult(ran);
  return withInjectionCheck(
    {
      outcome,
      kind: 'judged',
      findings:
        outcome === 'failed'
          ? [{ file: place.file, line: null, rule: 'generated_test_failed', message: code.slice(0, 4_000) }]
          : [],
      detail,
      metadata: { ...asked.metadata, command, exit_code: ran.exitCode, output_bytes_cut: ran.truncatedBytes },
    },
    asked.injections,
  );
}

/** By the language of most of the changed files. */
function chooseTestLocation(paths: readonly string[]): TestLocation | null {
  const counts = new Map<Language, number>();
  for (const path of paths) {
    const grammar = grammarOfPath(path);
    if (grammar) counts.set(languageOfGrammar(grammar), (counts.get(languageOfGrammar(grammar)) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return (most && PLACES[most[0]]) ?? null;
}
