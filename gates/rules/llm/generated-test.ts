import type { CheckErrorAction } from '../../../shared/contract/submission/on-error.ts';
import { GENERATED_TEST_REVIEWER } from '../../../shared/reviews/reviewers/generated-test.ts';
import { editTree, writeBlob } from '../../../workspace/git/edit-tree.ts';
import { classifyProcessResult } from '../../../workspace/process/command-outcome.ts';
import { parseTestCases } from '../../code/cases/find-test-cases.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { grammarOfPath, type Language, languageOfGrammar } from '../../core/language.ts';
import { readPatchDiffExcerpt } from './patch-diff.ts';
import {
  askModelsAboutPatch,
  buildReviewMetadata,
  createNoOpinionResult,
  createOpinionResult,
  createUnansweredReviewResult,
} from './review-patch.ts';

/** Where the test goes, so that it can import the project, and what runs it. We choose both: a model names no paths. */
interface TestLocation {
  readonly file: string;
  readonly command: string;
  readonly form: string;
}
const PLACES: Readonly<Partial<Record<Language, TestLocation>>> = {
  python: {
    file: 'tests/test_assay_generated.py',
    command: 'pytest -q {file}',
    form: 'a pytest file in Python',
  },
  javascript: {
    file: 'test/assay-generated.test.mjs',
    command: 'node --test {file}',
    form: 'an ES module for `node --test`, with node:test and node:assert',
  },
};

/** Asks for a test, runs it on the patch, and returns what came of it. Without a test that can run there is no opinion. */
export async function generateAndRunTest(
  context: GateContext,
  paths: readonly string[],
  {
    command: ownCommand,
    onError,
  }: { readonly command: string | null; readonly onError: CheckErrorAction | undefined },
): Promise<GateResult> {
  const { subject, timeoutMs } = context;
  const left = subject.sandboxes.startTimeLimit(timeoutMs);
  const place = chooseTestLocation(paths);
  if (place === null)
    return createNoOpinionResult(
      { outcome: 'could_not_run', detail: 'tests can be generated for Python and JavaScript only' },
      { onError },
    );
  const asked = { diff: await readPatchDiffExcerpt(subject, 10_000), onError };
  const input = { ...place, timeoutMs };
  const reviews = await askModelsAboutPatch(GENERATED_TEST_REVIEWER, input, context, asked);
  const [review] = reviews;
  if ('absence' in review) return createUnansweredReviewResult(review.absence, reviews, asked);
  const { code } = review.answer;
  const cases = (await parseTestCases(place.file, code)) ?? [];
  if (!cases.some(({ assertionCount, isSkipped }) => assertionCount > 0 && !isSkipped))
    return createNoOpinionResult(
      { outcome: 'could_not_run', detail: 'the model wrote no test that asserts anything' },
      asked,
      buildReviewMetadata(reviews, asked.diff),
    );
  const id = writeBlob(subject.store, code);
  const tree = await editTree(subject.store, subject.tree, [
    { path: place.file, entry: { id, mode: '100644' } },
  ]);
  const command = (ownCommand ?? place.command).replaceAll('{file}', place.file);
  const sandbox = await subject.sandboxes.createSandbox(tree);
  const ran = await sandbox.run({ line: command }, left());
  const opinion = GENERATED_TEST_REVIEWER.decide({ code, ...classifyProcessResult(ran) }, input);
  const facts = { command, exit_code: ran.exitCode, output_bytes_cut: ran.truncatedBytes };
  return createOpinionResult({ ...opinion, facts }, reviews, asked);
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
