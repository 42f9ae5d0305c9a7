import {
  createFindingsReport,
  createToolFinding,
  type ReportReader,
  requireJsonList,
  toJsonList,
  toJsonRecord,
} from './tool-report.ts';

type Suppressions = readonly Readonly<Record<string, unknown>>[];

const createSarifReader =
  (counts: (suppressions: Suppressions) => boolean): ReportReader =>
  (text, root) => {
    const runs = requireJsonList(toJsonRecord(JSON.parse(text))['runs'], 'runs');
    if (runs.length === 0) throw new Error('the report has no run');
    return createFindingsReport(
      runs.flatMap((run) =>
        resultsOf(toJsonRecord(run)).flatMap((entry) => {
          const result = toJsonRecord(entry);
          if (!counts(toJsonList(result['suppressions']).map(toJsonRecord))) return [];
          const place = toJsonRecord(toJsonRecord(toJsonList(result['locations'])[0])['physicalLocation']);
          const uri = toJsonRecord(place['artifactLocation'])['uri'];
          const rule = result['ruleId'] ?? toJsonRecord(result['rule'])['id'];
          return [
            createToolFinding(
              root,
              { file: decoded(uri), line: toJsonRecord(place['region'])['startLine'] },
              rule,
              toJsonRecord(result['message'])['text'],
            ),
          ];
        }),
      ),
    );
  };

/** @throws for a run that has no list of results, or has none and says that it did not succeed. */
function resultsOf(run: Readonly<Record<string, unknown>>): readonly unknown[] {
  const results = requireJsonList(run['results'], 'results');
  const failed = toJsonList(run['invocations'])
    .map(toJsonRecord)
    .some(({ executionSuccessful }) => executionSuccessful === false);
  if (failed && results.length === 0) throw new Error('the tool reports that its run did not succeed');
  return results;
}

/** Static Analysis Results Interchange Format 2.1. Results that the project's own configuration suppresses do not count. */
export const readSarif: ReportReader = createSarifReader((suppressions) => suppressions.length === 0);

/** What a comment in the code suppresses counts. */
const despiteComments = createSarifReader((suppressions) =>
  suppressions.every(({ kind }) => kind === 'inSource'),
);

/** A relative reference is percent-encoded too. */
function decoded(uri: unknown): unknown {
  if (typeof uri !== 'string' || uri.startsWith('file://')) return uri;
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

/** What semgrep could not parse, and did not look at. */
const NOT_PARSED = /^[^\n]{0,100} at line ([^\n]{1,1000}?):(\d{1,9}):/;

/**
 * SARIF of semgrep. Comments do not silence it, and nor does broken code: files that it could not parse are complaints too. Asked to
 * disregard comments, it still marks what they name as suppressed.
 */
export const readSemgrepSarif: ReportReader = (text, ground) => {
  const report = despiteComments(text, ground);
  const broken = toJsonList(toJsonRecord(JSON.parse(text))['runs'])
    .flatMap((run) => toJsonList(toJsonRecord(run)['invocations']))
    .flatMap((invocation) => toJsonList(toJsonRecord(invocation)['toolExecutionNotifications']))
    .flatMap((entry) => {
      const message = toJsonRecord(toJsonRecord(entry)['message'])['text'];
      const [, file, line] = (typeof message === 'string' ? NOT_PARSED.exec(message) : null) ?? [];
      return file === undefined
        ? []
        : [createToolFinding(ground, { file, line: Number(line) }, 'not_scanned', message)];
    });
  return { ...report, findings: [...report.findings, ...broken] };
};

/** Where a compiler's message says that it is about, as golangci-lint quotes it. */
const QUOTED = /^(?:: # [^\n]{0,1000}\n)?([^\n:]{1,1000}):(\d{1,9}):\d{1,9}: ([^\n]{1,4000})/;

/** SARIF of golangci-lint, which puts what does not compile on the first line of the file. */
export const readGolangciSarif: ReportReader = (text, ground) => {
  const report = readSarif(text, ground);
  return {
    ...report,
    findings: report.findings.map((each) => {
      const [, file, line, message] = (each.rule === 'typecheck' ? QUOTED.exec(each.message) : null) ?? [];
      return file === undefined
        ? each
        : createToolFinding(ground, { file, line: Number(line) }, each.rule, message);
    }),
  };
};
