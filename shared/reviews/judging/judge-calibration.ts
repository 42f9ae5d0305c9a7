/** One answer to one case: what was said of it, and how sure the judge was; null: there was none. */
export interface CaseAnswer {
  readonly verdict: 'good' | 'bad' | null;
  readonly confidence: number | null;
}

/** A case with all answers to it. */
export interface AnsweredCase {
  readonly id: string;
  readonly truth: 'good' | 'bad';
  readonly answers: readonly CaseAnswer[];
}

export interface ReliabilityBin {
  readonly from: number;
  /** Not in it, but for 1. */
  readonly to: number;
  readonly answers: number;
  /** Mean; null: no answer in here. */
  readonly confidence: number | null;
  /** Share that was right. */
  readonly right: number | null;
}

export interface Calibration {
  readonly cases: number;
  readonly answers: number;
  /** Answers that were asked for and did not come, or could not be read. */
  readonly unanswered: number;
  /** Share of answers that are as the truth. */
  readonly agreement: number | null;
  /** Cohen's kappa of the word that most answers to a case say, with its interval of 95 %; null: it cannot be told. */
  readonly kappa: { readonly value: number; readonly low: number; readonly high: number } | null;
  /** Share of the bad cases that most answers call bad, and of the good ones that they do. */
  readonly caught: number | null;
  readonly held_wrongly: number | null;
  /** Over the answers to one case: share of cases with different words, mean variance of the word (0 to 0.25) and of the confidence. */
  readonly variance: {
    readonly split: number;
    readonly word: number;
    readonly confidence: number | null;
  } | null;
  readonly reliability: readonly ReliabilityBin[];
  /** Mean distance of confidence and truth over the bins, by their answers; null: no confidences. */
  readonly calibration_error: number | null;
}

/** Where the bins begin; below 0.7 a judge has not decided. */
const EDGES = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 1] as const;
/** Of the normal distribution, for 95 %. */
const Z = 1.96;

const mean = (all: readonly number[]): number | null =>
  all.length === 0 ? null : all.reduce((sum, each) => sum + each, 0) / all.length;
const variance = (all: readonly number[]): number => {
  const middle = mean(all) ?? 0;
  return mean(all.map((each) => (each - middle) ** 2)) ?? 0;
};

const words = ({ answers }: AnsweredCase): ('good' | 'bad')[] =>
  answers.flatMap(({ verdict }) => (verdict === null ? [] : [verdict]));

/** What most answers say; a tie is a doubt, and a doubt holds. Null: there is no answer. */
function majorityVerdict(of: AnsweredCase): 'good' | 'bad' | null {
  const all = words(of);
  if (all.length === 0) return null;
  return all.filter((word) => word === 'good').length * 2 > all.length ? 'good' : 'bad';
}

/** Cohen's kappa with the large-sample error of Cohen (1960). */
function kappaOf(pairs: readonly (readonly [truth: string, word: string])[]): Calibration['kappa'] {
  const n = pairs.length;
  if (n === 0) return null;
  const share = (holds: (pair: readonly [string, string]) => boolean): number =>
    pairs.filter(holds).length / n;
  const observed = share(([truth, word]) => truth === word);
  const [truth, word] = [share(([each]) => each === 'good'), share(([, each]) => each === 'good')];
  const chance = truth * word + (1 - truth) * (1 - word);
  if (chance === 1) return null;
  const value = (observed - chance) / (1 - chance);
  const error = Math.sqrt((observed * (1 - observed)) / (n * (1 - chance) ** 2));
  return { value, low: Math.max(-1, value - Z * error), high: Math.min(1, value + Z * error) };
}

function reliabilityOf(all: readonly { confidence: number; right: boolean }[]): ReliabilityBin[] {
  return EDGES.slice(0, -1).map((from, index) => {
    const to = EDGES[index + 1] ?? 1;
    const here = all.filter(
      ({ confidence }) => confidence >= from && (confidence < to || (to === 1 && confidence === 1)),
    );
    return {
      from,
      to,
      answers: here.length,
      confidence: mean(here.map(({ confidence }) => confidence)),
      right: mean(here.map(({ right }) => (right ? 1 : 0))),
    };
  });
}

function varianceOf(cases: readonly AnsweredCase[]): Calibration['variance'] {
  const repeated = cases.map(words).filter((each) => each.length > 1);
  if (repeated.length === 0) return null;
  const sure = cases
    .map(({ answers }) => answers.flatMap(({ confidence }) => (confidence === null ? [] : [confidence])))
    .filter((each) => each.length > 1);
  return {
    split: mean(repeated.map((each) => (new Set(each).size > 1 ? 1 : 0))) ?? 0,
    word: mean(repeated.map((each) => variance(each.map((word) => (word === 'good' ? 1 : 0))))) ?? 0,
    confidence: mean(sure.map(variance)),
  };
}

/** What answers to cases with a known truth say about a judge. */
export function measureCalibration(cases: readonly AnsweredCase[]): Calibration {
  const all = cases.flatMap(({ truth, answers }) => answers.map((answer) => ({ truth, ...answer })));
  const given = all.filter(({ verdict }) => verdict !== null);
  const decided = cases.flatMap((of) => {
    const word = majorityVerdict(of);
    return word === null ? [] : [[of.truth, word] as const];
  });
  const called = (truth: string): number | null =>
    mean(decided.filter(([each]) => each === truth).map(([, word]) => (word === 'bad' ? 1 : 0)));
  const sure = given.flatMap(({ truth, verdict, confidence }) =>
    confidence === null ? [] : [{ confidence, right: truth === verdict }],
  );
  const reliability = reliabilityOf(sure);
  return {
    cases: cases.length,
    answers: given.length,
    unanswered: all.length - given.length,
    agreement: mean(given.map(({ truth, verdict }) => (truth === verdict ? 1 : 0))),
    kappa: kappaOf(decided),
    caught: called('bad'),
    held_wrongly: called('good'),
    variance: varianceOf(cases),
    reliability,
    calibration_error:
      sure.length === 0
        ? null
        : reliability.reduce(
            (sum, { answers, confidence, right }) =>
              sum + (answers / sure.length) * Math.abs((confidence ?? 0) - (right ?? 0)),
            0,
          ),
  };
}
