import { toJsonList, toJsonRecord } from '../../reports/tool-report.ts';

/** One change that the tool made to the code. */
interface Mutant {
  readonly file: string;
  /** 1-based; null when the tool does not say. */
  readonly line: number | null;
  readonly description: string;
  /** Whether a test noticed it; a run without end counts as noticed. */
  readonly isKilled: boolean;
}

export interface MutationReport {
  readonly killedCount: number;
  /** Those that no test noticed, or that no test reaches. */
  readonly survivedCount: number;
  /** Null when the report has no more than counts. */
  readonly mutants: readonly Mutant[] | null;
}

type Json = Readonly<Record<string, unknown>>;

/** A report of Stryker and its kin, cargo-mutants, gremlins, go-mutesting or mutmut; null when it is none of them. */
export function parseMutationReport(text: string): MutationReport | null {
  const json = parsed(text);
  if (json === null) return null;
  return (
    readMutationElements(json) ??
    readCargoMutants(json) ??
    readGremlins(json) ??
    readInfection(json) ??
    readMutmut(json)
  );
}

function parsed(text: string): Json | null {
  try {
    return toJsonRecord(JSON.parse(text));
  } catch {
    return null;
  }
}

const summariseMutants = (mutants: readonly Mutant[]): MutationReport => {
  const killed = mutants.filter((mutant) => mutant.isKilled).length;
  return { killedCount: killed, survivedCount: mutants.length - killed, mutants };
};
const number = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const lineOf = (value: unknown): number | null =>
  Number.isInteger(value) && Number(value) > 0 ? Number(value) : null;

/** The schema of mutation-testing-elements. Mutants that did not compile, broke, or were left out say nothing. */
function readMutationElements(json: Json): MutationReport | null {
  if (json['schemaVersion'] === undefined || Array.isArray(json['files'])) return null;
  const status = (mutant: Json): boolean | null => {
    const word = text(mutant['status']);
    if (word === 'Killed' || word === 'Timeout') return true;
    return word === 'Survived' || word === 'NoCoverage' ? false : null;
  };
  return summariseMutants(
    Object.entries(toJsonRecord(json['files'])).flatMap(([file, content]) =>
      toJsonList(toJsonRecord(content)['mutants'])
        .map(toJsonRecord)
        .flatMap((mutant): Mutant[] => {
          const killed = status(mutant);
          const line = lineOf(toJsonRecord(toJsonRecord(mutant['location'])['start'])['line']);
          return killed === null
            ? []
            : [{ file, line, description: text(mutant['mutatorName']), isKilled: killed }];
        }),
    ),
  );
}

function readCargoMutants(json: Json): MutationReport | null {
  if (!Array.isArray(json['outcomes'])) return null;
  return summariseMutants(
    toJsonList(json['outcomes'])
      .map(toJsonRecord)
      .flatMap((outcome): Mutant[] => {
        const summary = text(outcome['summary']);
        const mutant = toJsonRecord(toJsonRecord(outcome['scenario'])['Mutant']);
        const missed = summary === 'MissedMutant';
        // The baseline is an outcome too, and has no mutant.
        if (mutant['file'] === undefined || (!missed && summary !== 'CaughtMutant' && summary !== 'Timeout'))
          return [];
        const line = lineOf(toJsonRecord(toJsonRecord(mutant['span'])['start'])['line']);
        return [{ file: text(mutant['file']), line, description: text(mutant['name']), isKilled: !missed }];
      }),
  );
}

function readGremlins(json: Json): MutationReport | null {
  if (json['mutants_total'] === undefined || !Array.isArray(json['files'])) return null;
  // `TIMED OUT` says nothing: its clock runs while the change is compiled, so that a busy machine is enough for it.
  const killed: Readonly<Record<string, boolean>> = {
    KILLED: true,
    LIVED: false,
    'NOT COVERED': false,
  };
  return summariseMutants(
    toJsonList(json['files'])
      .map(toJsonRecord)
      .flatMap((file) =>
        toJsonList(file['mutations'])
          .map(toJsonRecord)
          .flatMap((mutation): Mutant[] => {
            const known = killed[text(mutation['status'])];
            const line = lineOf(mutation['line']);
            return known === undefined
              ? []
              : [
                  {
                    file: text(file['file_name']),
                    line,
                    description: text(mutation['type']),
                    isKilled: known,
                  },
                ];
          }),
      ),
  );
}

/** Counts as Infection writes them, and go-mutesting after it. */
function readInfection(json: Json): MutationReport | null {
  const stats = toJsonRecord(json['stats']);
  if (typeof stats['totalMutantsCount'] !== 'number') return null;
  return {
    killedCount: number(stats['killedCount']) + number(stats['timeOutCount']),
    survivedCount: number(stats['escapedCount']) + number(stats['notCoveredCount']),
    mutants: null,
  };
}

/** The statistics that mutmut exports. What it finds suspicious has not been noticed by a test. */
function readMutmut(json: Json): MutationReport | null {
  if (typeof json['killed'] !== 'number' || typeof json['survived'] !== 'number') return null;
  return {
    killedCount: number(json['killed']) + number(json['timeout']) + number(json['segfault']),
    survivedCount: number(json['survived']) + number(json['no_tests']) + number(json['suspicious']),
    mutants: null,
  };
}
