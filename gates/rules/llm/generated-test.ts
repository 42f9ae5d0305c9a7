import * as z from 'zod';
import type { OnError } from '../../../shared/contract/submission/on-error.ts';
import { PROMPTS } from '../../../shared/reviews/judging/prompts.ts';
import { editTree, writeBlob } from '../../../workspace/git/edit.ts';
import { outcomeOf } from '../../../workspace/process/outcome.ts';
import { casesIn } from '../../code/cases/read.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { grammarOf, type Language, languageOf } from '../../core/language.ts';
import { askAbout, opinion, without } from './ask.ts';
import { shownDiff } from './diff.ts';

/** Where the test goes, so that it can import the project, and what runs it. We choose both: a model names no paths. */
interface Place {
  readonly file: string;
  readonly command: string;
  readonly words: string;
}
const PLACES: Readonly<Partial<Record<Language, Place>>> = {
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

const whereTo = ({ file, words }: Place) => ({
  label: 'where the test goes',
  text: `${words}, which will lie at ${file}`,
});

/** Asks for a test, runs it on the patch, and answers what came of it. Without a test that can be run, nobody has judged. */
export async function generateAndRun(
  context: GateContext,
  paths: readonly string[],
  {
    command: ownCommand,
    onError,
  }: { readonly command: string | null; readonly onError: OnError | undefined },
): Promise<GateResult> {
  const { subject, timeoutMs } = context;
  const left = subject.rooms.within(timeoutMs);
  const place = placeFor(paths);
  if (place === null)
    return without('inert', 'tests can be generated for Python and JavaScript only', {}, onError);
  const asked = await askAbout(
    context,
    { purpose: 'test_writer' },
    {
      prompt: PROMPTS.integration_test_gen,
      maxTokens: 4_096,
      diff: await shownDiff(subject, 10_000),
      more: [whereTo(place)],
      answer: Answer,
      onError,
    },
  );
  if ('instead' in asked) return asked.instead;
  const { code } = asked.answer;
  const cases = (await casesIn(place.file, code)) ?? [];
  if (!cases.some(({ assertions, skipped }) => assertions > 0 && !skipped))
    return without('inert', 'the model wrote no test that asserts anything', asked.metadata, onError);
  const id = writeBlob(subject.store, code);
  const tree = await editTree(subject.store, subject.tree, [
    { path: place.file, to: { id, mode: '100644' } },
  ]);
  const command = (ownCommand ?? place.command).replaceAll('{file}', place.file);
  const room = await subject.rooms.enter(tree);
  const ran = await room.run({ line: command }, left());
  const { outcome, detail } = outcomeOf(ran);
  return opinion(
    {
      outcome,
      kind: 'judged',
      findings:
        outcome === 'failed'
          ? [{ file: place.file, line: null, rule: 'generated_test_failed', message: code.slice(0, 4_000) }]
          : [],
      detail,
      metadata: { ...asked.metadata, command, exit_code: ran.exitCode, output_bytes_cut: ran.cutBytes },
    },
    asked.injections,
  );
}

/** By the language of most of the changed files. */
function placeFor(paths: readonly string[]): Place | null {
  const counts = new Map<Language, number>();
  for (const path of paths) {
    const grammar = grammarOf(path);
    if (grammar) counts.set(languageOf(grammar), (counts.get(languageOf(grammar)) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return (most && PLACES[most[0]]) ?? null;
}
