import { list, object } from '../../reports/report.ts';

/** One change that the tool made to the code. */
interface Mutant {
  readonly file: string;
  /** 1-based; null when the tool does not say. */
  readonly line: number | null;
  readonly what: string;
  /** Whether a test noticed it; a run without end counts as noticed. */
  readonly killed: boolean;
}

export interface MutationReport {
  readonly killed: number;
  /** Those that no test noticed, or that no test reaches. */
  readonly survived: number;
  /** Null when the report has no more than counts. */
  readonly mutants: readonly Mutant[] | null;
}

type Json = Readonly<Record<string, unknown>>;

/** A report of Stryker and its kin, cargo-mutants, gremlins, go-mutesting or mutmut; null when it is none of them. */
export function mutationReport(text: string): MutationReport | null {
  const json = parsed(text);
  if (json === null) return null;
  return elements(json) ?? cargo(json) ?? gremlins(json) ?? infection(json) ?? mutmut(json);
}

function parsed(text: string): Json | null {
  try {
    return object(JSON.parse(text));
  } catch {
    return null;
  }
}

const counted = (mutants: readonly Mutant[]): MutationReport => {
  const killed = mutants.filter((mutant) => mutant.killed).length;
  return { killed, survived: mutants.length - killed, mutants };
};
const number = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const lineOf = (value: unknown): number | null =>
  Number.isInteger(value) && Number(value) > 0 ? Number(value) : null;

/** The schema of mutation-testing-elements. Mutants that did not compile, broke, or were left out say nothing. */
function elements(json: Json): MutationReport | null {
  if (json['schemaVersion'] === undefined || Array.isArray(json['files'])) return null;
  const status = (mutant: Json): boolean | null => {
    const word = text(mutant['status']);
    if (word === 'Killed' || word === 'Timeout') return true;
    return word === 'Survived' || word === 'NoCoverage' ? false : null;
  };
  return counted(
    Object.entries(object(json['files'])).flatMap(([file, content]) =>
      list(object(content)['mutants'])
        .map(object)
        .flatMap((mutant): Mutant[] => {
          const killed = status(mutant);
          const line = lineOf(object(object(mutant['location'])['start'])['line']);
          return killed === null ? [] : [{ file, line, what: text(mutant['mutatorName']), killed }];
        }),
    ),
  );
}

function cargo(json: Json): MutationReport | null {
  if (!Array.isArray(json['outcomes'])) return null;
  return counted(
    list(json['outcomes'])
      .map(object)
      .flatMap((outcome): Mutant[] => {
        const summary = text(outcome['summary']);
        const mutant = object(object(outcome['scenario'])['Mutant']);
        const missed = summary === 'MissedMutant';
        // The baseline is an outcome too, and has no mutant.
        if (mutant['file'] === undefined || (!missed && summary !== 'CaughtMutant' && summary !== 'Timeout'))
          return [];
        const line = lineOf(object(object(mutant['span'])['start'])['line']);
        return [{ file: text(mutant['file']), line, what: text(mutant['name']), killed: !missed }];
      }),
  );
}

function gremlins(json: Json): MutationReport | null {
  if (json['mutants_total'] === undefined || !Array.isArray(json['files'])) return null;
  // `TIMED OUT` says nothing: its clock runs while the change is compiled, so that a busy machine is enough for it.
  const killed: Readonly<Record<string, boolean>> = {
    KILLED: true,
    LIVED: false,
    'NOT COVERED': false,
  };
  return counted(
    list(json['files'])
      .map(object)
      .flatMap((file) =>
        list(file['mutations'])
          .map(object)
          .flatMap((mutation): Mutant[] => {
            const known = killed[text(mutation['status'])];
            const line = lineOf(mutation['line']);
            return known === undefined
              ? []
              : [{ file: text(file['file_name']), line, what: text(mutation['type']), killed: known }];
          }),
      ),
  );
}

/** Counts as Infection writes them, and go-mutesting after it. */
function infection(json: Json): MutationReport | null {
  const stats = object(json['stats']);
  if (typeof stats['totalMutantsCount'] !== 'number') return null;
  return {
    killed: number(stats['killedCount']) + number(stats['timeOutCount']),
    survived: number(stats['escapedCount']) + number(stats['notCoveredCount']),
    mutants: null,
  };
}

/** The statistics that mutmut exports. What it finds suspicious has not been noticed by a test. */
function mutmut(json: Json): MutationReport | null {
  if (typeof json['killed'] !== 'number' || typeof json['survived'] !== 'number') return null;
  return {
    killed: number(json['killed']) + number(json['timeout']) + number(json['segfault']),
    survived: number(json['survived']) + number(json['no_tests']) + number(json['suspicious']),
    mutants: null,
  };
}
