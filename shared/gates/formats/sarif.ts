import { complaint, type Format, findingsOnly, list, mustList, object } from './report.ts';

/** Static Analysis Results Interchange Format 2.1. Results that the project's own configuration suppresses do not count. */
export const sarif: Format = (text, root) => {
  const runs = mustList(object(JSON.parse(text))['runs'], 'runs');
  return findingsOnly(
    runs.flatMap((run) =>
      list(object(run)['results']).flatMap((entry) => {
        const result = object(entry);
        if (list(result['suppressions']).length > 0) return [];
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

/** A relative reference is percent-encoded too. */
function decoded(uri: unknown): unknown {
  if (typeof uri !== 'string' || uri.startsWith('file://')) return uri;
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

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
