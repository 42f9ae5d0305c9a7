import * as z from 'zod';

/** What a function, by its file and name, answers to what. */
export type ReplayedReturnValues = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** How far what tests ask of a function is followed. */
export interface CallRecordingLimits {
  /** Most different values that are written down of one function. */
  readonly maxCalls: number;
  /** Whether it is also asked for what lies beside each of them. */
  readonly includesNeighbours: boolean;
  /** Longest values and answers that are told apart, in characters. */
  readonly maxValueLength: number;
}

/** Some of it, with what lies beside: each value is asked for many times. */
export const NEIGHBOUR_RECORDING_LIMITS: CallRecordingLimits = {
  maxCalls: 40,
  includesNeighbours: true,
  maxValueLength: 300,
};
/** All of it, for a run that makes up many values; what lies beside is left out. */
export const ALL_CALLS_RECORDING_LIMITS: CallRecordingLimits = {
  maxCalls: 2_000,
  includesNeighbours: false,
  maxValueLength: 1_900,
};

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
export interface RecordedFunctionCall {
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
export function parseRecordedFunctionCalls(text: string): RecordedFunctionCall[] {
  const found = new Map<string, RecordedFunctionCall | null>();
  for (const line of text.split('\n')) {
    const call = parseRecordedLine(line);
    if (call === null) continue;
    const key = `${call.function}\0${call.argumentsKey}`;
    const there = found.get(key);
    found.set(key, there === undefined || there?.answer === call.answer ? call : null);
  }
  return [...found.values()].filter((each) => each !== null);
}

function parseRecordedLine(line: string): RecordedFunctionCall | null {
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

export const isThrownAnswer = (came: string): boolean => came.startsWith('!');

/** Answers that functions give in the place of their own when they are called with the same arguments. */
export const selectReturnValuesToReplay = (asked: readonly RecordedFunctionCall[]): ReplayedReturnValues =>
  new Map(
    [...Map.groupBy(asked, (each) => each.function)].map(([name, all]) => [
      name,
      Object.fromEntries(
        all.flatMap((each) => (isThrownAnswer(each.answer) ? [] : [[each.argumentsKey, each.answer]])),
      ),
    ]),
  );
