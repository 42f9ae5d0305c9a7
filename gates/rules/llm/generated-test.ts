import * as z from 'zod';
import { editTree, writeBlob } from '../../checkout/edit.ts';
import { casesIn } from '../../code/cases/read.ts';
import { grammarOf, type Language, languageOf } from '../../code/language.ts';
import type { GateContext, GateResult } from '../../engine/gate.ts';
import { outcomeOf } from '../../process/outcome.ts';
import { askAbout } from './ask.ts';

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

const instruction = ({ file, words }: Place): string =>
  `You write one integration test for a change of code: ${words}, which will lie at ${file}. It checks what the change is to do through the project's own interfaces, and asserts on results. Answer as {"code": "<the whole file>"}.`;

/** Asks for a test, runs it on the patch, and answers what came of it. Without a test that can be run, nobody has judged. */
export async function generateAndRun(
  context: GateContext,
  paths: readonly string[],
  ownCommand: string | null,
): Promise<GateResult> {
  const { subject, timeoutMs } = context;
  const left = subject.rooms.within(timeoutMs);
  const place = placeFor(paths);
  if (place === null) return inert('tests can be generated for Python and JavaScript only');
  const asked = await askAbout(context, {
    instruction: instruction(place),
    maxTokens: 4_096,
    temperature: 0,
    model: null,
    diffCharacters: 10_000,
    answer: Answer,
  });
  if ('instead' in asked) return asked.instead;
  const { code } = asked.answer;
  const cases = (await casesIn(place.file, code)) ?? [];
  if (!cases.some(({ assertions, skipped }) => assertions > 0 && !skipped))
    return inert('the model wrote no test that asserts anything', asked.metadata);
  const id = await writeBlob(subject.store, code);
  const tree = await editTree(subject.store, subject.tree, [
    { path: place.file, to: { id, mode: '100644' } },
  ]);
  const command = (ownCommand ?? place.command).replaceAll('{file}', place.file);
  const room = await subject.rooms.enter(tree);
  const ran = await room.run({ line: command }, left());
  const { outcome, detail } = outcomeOf(ran);
  return {
    outcome,
    kind: 'judged',
    findings:
      outcome === 'failed'
        ? [{ file: place.file, line: null, rule: 'generated_test_failed', message: code.slice(0, 4_000) }]
        : [],
    detail,
    metadata: { ...asked.metadata, command, exit_code: ran.exitCode, output_bytes_cut: ran.cutBytes },
  };
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

const inert = (detail: string, metadata: GateResult['metadata'] = {}): GateResult => ({
  outcome: 'inert',
  kind: 'judged',
  findings: [],
  detail,
  metadata,
});
