import { complaint, type Format, findingsOnly, list, mustList, object } from './report.ts';

type Suppressions = readonly Readonly<Record<string, unknown>>[];

const reading =
  (counts: (suppressions: Suppressions) => boolean): Format =>
  (text, root) => {
    const runs = mustList(object(JSON.parse(text))['runs'], 'runs');
    return findingsOnly(
      runs.flatMap((run) =>
        list(object(run)['results']).flatMap((entry) => {
          const result = object(entry);
          if (!counts(list(result['suppressions']).map(object))) return [];
          const place = object(object(list(result['locations'])[0])['physicalLocation']);
          const uri = object(place['artifactLocation'])['uri'];
          const rule = result['ruleId'] ?? object(result['rule'])['id'];
          return [
            complaint(
              root,
              { file: decoded(uri), line: object(place['region'])['startLine'] },
              rule,
              object(result['message'])['text'],
            ),
          ];
        }),
      ),
    );
  };

/** Static Analysis Results Interchange Format 2.1. Results that the project's own configuration suppresses do not count. */
export const sarif: Format = reading((suppressions) => suppressions.length === 0);

/** What a comment in the code suppresses counts. */
const despiteComments = reading((suppressions) => suppressions.every(({ kind }) => kind === 'inSource'));

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
export const semgrep: Format = (text, ground) => {
  const report = despiteComments(text, ground);
  const broken = list(object(JSON.parse(text))['runs'])
    .flatMap((run) => list(object(run)['invocations']))
    .flatMap((invocation) => list(object(invocation)['toolExecutionNotifications']))
    .flatMap((entry) => {
      const message = object(object(entry)['message'])['text'];
      const [, file, line] = (typeof message === 'string' ? NOT_PARSED.exec(message) : null) ?? [];
      return file === undefined
        ? []
        : [complaint(ground, { file, line: Number(line) }, 'not_scanned', message)];
    });
  return { ...report, complaints: [...report.complaints, ...broken] };
};

/** Where a compiler's message says that it is about, as golangci-lint quotes it. */
const QUOTED = /^(?:: # [^\n]{0,1000}\n)?([^\n:]{1,1000}):(\d{1,9}):\d{1,9}: ([^\n]{1,4000})/;

/** SARIF of golangci-lint, which puts what does not compile on the first line of the file. */
export const golangci: Format = (text, ground) => {
  const report = sarif(text, ground);
  return {
    ...report,
    complaints: report.complaints.map((each) => {
      const [, file, line, message] = (each.rule === 'typecheck' ? QUOTED.exec(each.message) : null) ?? [];
      return file === undefined ? each : complaint(ground, { file, line: Number(line) }, each.rule, message);
    }),
  };
};
