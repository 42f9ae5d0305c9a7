import * as z from 'zod';
import type { ReplayedAnswers } from './record-calls.ts';

/** The answer of a function as text, or `!` and the name of the error that it failed with. */
const RecordedAnswer = z.string().max(2_000);
/**
 * A function, its arguments, its answer, and the same for neighbours of the arguments: `n` moved numbers, `t` moved texts, `w` texts
 * without meaning, `x` values of another type.
 */
const RecordedLine = z.tuple([
  z.string(),
  z.string(),
  RecordedAnswer,
  z.array(z.tuple([z.enum(['n', 't', 'w', 'x']), z.string(), RecordedAnswer.nullable()])),
]);

/** A call of a function by tests, with what it answers for neighbours of the arguments. */
export interface RecordedCall {
  readonly function: string;
  readonly argumentsKey: string;
  readonly answer: string;
  readonly neighbours: readonly {
    readonly kind: 'n' | 't' | 'w' | 'x';
    readonly argumentsKey: string;
    readonly answer: string;
  }[];
}

/** Reads what recording functions wrote; lines that cannot be read, or contradict each other, are left out. */
export function parseRecordedCalls(text: string): RecordedCall[] {
  const found = new Map<string, RecordedCall | null>();
  for (const line of text.split('\n')) {
    const call = parseRecordedLine(line);
    if (call === null) continue;
    const key = `${call.function}\0${call.argumentsKey}`;
    const there = found.get(key);
    found.set(key, there === undefined || there?.answer === call.answer ? call : null);
  }
  return [...found.values()].filter((each) => each !== null);
}

function parseRecordedLine(line: string): RecordedCall | null {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return null;
  }
  const { data } = RecordedLine.safeParse(json);
  if (!data) return null;
  const [name, key, came, beside] = data;
  return {
    function: name,
    argumentsKey: key,
    answer: came,
    neighbours: beside.flatMap(([kind, what, then]) =>
      then === null ? [] : [{ kind, argumentsKey: what, answer: then }],
    ),
  };
}

export const isFailure = (came: string): boolean => came.startsWith('!');

/** Answers that functions give in the place of their own when they are called with the same arguments. */
export const answersToReplay = (asked: readonly RecordedCall[]): ReplayedAnswers =>
  new Map(
    [...Map.groupBy(asked, (each) => each.function)].map(([name, all]) => [
      name,
      Object.fromEntries(
        all.flatMap((each) => (isFailure(each.answer) ? [] : [[each.argumentsKey, each.answer]])),
      ),
    ]),
  );
