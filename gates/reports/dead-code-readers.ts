import {
  createFindingsReport,
  createToolFinding,
  type ReportCheckoutRoot,
  type ReportReader,
  requireJsonList,
  toJsonList,
  toJsonRecord,
} from './tool-report.ts';

/** `vulture`, which has no machine format: each line is `file:line: message (90% confidence)`. */
export const readVulture: ReportReader = (text, root) =>
  createFindingsReport(
    text.split('\n').flatMap((line) => {
      const [, file, at, message] =
        /^([^\n:]{1,4096}):(\d{1,9}): ([^\n]{1,1000}) \(\d{1,3}% confidence/.exec(line) ?? [];
      return message === undefined
        ? []
        : [createToolFinding(root, { file, line: Number(at) }, 'vulture', message)];
    }),
  );

const unusedFile = (root: ReportCheckoutRoot, file: unknown) =>
  createToolFinding(root, { file, line: 1 }, 'knip', 'nothing imports this file');

/** `knip --reporter json` */
export const readKnip: ReportReader = (text, root) => {
  const report = toJsonRecord(JSON.parse(text));
  const issues = requireJsonList(report['issues'], 'issues');
  return createFindingsReport([
    // Up to version 5 a list of names beside the issues, since then an issue of the file.
    ...toJsonList(report['files']).flatMap((file) =>
      typeof file === 'string' ? [unusedFile(root, file)] : [],
    ),
    ...issues.map(toJsonRecord).flatMap(({ file, files, exports, types }) => {
      const unused = (what: string) => (item: unknown) => {
        const { line = 1, name } = toJsonRecord(item);
        return createToolFinding(root, { file, line }, 'knip', `${what} ${String(name)} is not used`);
      };
      return [
        ...toJsonList(files).map(() => unusedFile(root, file)),
        ...toJsonList(exports).map(unused('the export')),
        ...toJsonList(types).map(unused('the type')),
      ];
    }),
  ]);
};
