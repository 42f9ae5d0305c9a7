import {
  createFindingsReport,
  createToolFinding,
  type ReportReader,
  requireJsonList,
  requireStatedCount,
  type ToolFinding,
  toJsonList,
  toJsonRecord,
} from './tool-report.ts';

const eslintFrom =
  (least: number): ReportReader =>
  (text, root) =>
    createFindingsReport(
      requireJsonList(JSON.parse(text), 'files').flatMap((entry) => {
        const { filePath, messages, errorCount, warningCount } = toJsonRecord(entry);
        const all = requireJsonList(messages, `messages of ${String(filePath)}`);
        const held = (severity: number): number =>
          all.filter((each) => toJsonRecord(each)['severity'] === severity).length;
        requireStatedCount(errorCount, held(2), `errors in ${String(filePath)}`);
        requireStatedCount(warningCount, held(1), `warnings in ${String(filePath)}`);
        return all.flatMap((each) => {
          const { ruleId, severity, line, message } = toJsonRecord(each);
          return typeof severity === 'number' && severity >= least
            ? [createToolFinding(root, { file: filePath, line }, ruleId ?? 'syntax', message)]
            : [];
        });
      }),
    );

/** `eslint --format json` */
export const readEslint: ReportReader = eslintFrom(2);
/** The same, with what the project is only warned of. */
export const readEslintWithWarnings: ReportReader = eslintFrom(1);

/** What GitLab's code-quality report calls a warning and less: with nothing graver, biome ends with 0. */
const WARNINGS: readonly unknown[] = ['info', 'minor', 'major'];

/** GitLab's code-quality report, as `biome --reporter=gitlab` writes it. */
export const readGitlabCodeQuality: ReportReader = (text, root) =>
  createFindingsReport(
    requireJsonList(JSON.parse(text), 'issues').flatMap((entry) => {
      const { check_name, description, location, severity } = toJsonRecord(entry);
      const { path, lines } = toJsonRecord(location);
      return WARNINGS.includes(severity)
        ? []
        : [
            createToolFinding(
              root,
              { file: path, line: toJsonRecord(lines)['begin'] },
              check_name,
              description,
            ),
          ];
    }),
  );

/** `pyright --outputjson`; its lines count from 0. */
export const readPyright: ReportReader = (text, root) => {
  const report = toJsonRecord(JSON.parse(text));
  const entries = requireJsonList(report['generalDiagnostics'], 'generalDiagnostics').map(toJsonRecord);
  const errors = entries.filter(({ severity }) => severity === 'error');
  const { errorCount, filesAnalyzed } = toJsonRecord(report['summary']);
  requireStatedCount(errorCount, errors.length, 'errors');
  if (filesAnalyzed === 0) throw new Error('no file was analysed');
  return createFindingsReport(
    errors.map(({ file, message, rule, range }) => {
      const line = toJsonRecord(toJsonRecord(range)['start'])['line'];
      return createToolFinding(
        root,
        { file, line: typeof line === 'number' ? line + 1 : null },
        rule ?? 'syntax',
        message,
      );
    }),
  );
};

/** `mypy --output json`: one object per line, nothing when all is well. */
export const readMypy: ReportReader = (text, root) =>
  createFindingsReport(
    text.split('\n').flatMap((line): ToolFinding[] => {
      if (line.trim() === '') return [];
      const { file, line: at, message, code, severity } = toJsonRecord(JSON.parse(line));
      return severity === 'error'
        ? [createToolFinding(root, { file, line: at }, code ?? 'syntax', message)]
        : [];
    }),
  );

/** `bandit --format json`. Files that it could not read are complaints too: nobody silences a scanner by breaking the code. */
export const readBandit: ReportReader = (text, root) => {
  const report = toJsonRecord(JSON.parse(text));
  return createFindingsReport([
    ...requireJsonList(report['results'], 'results').map((entry) => {
      const { filename, line_number, test_id, issue_text } = toJsonRecord(entry);
      return createToolFinding(root, { file: filename, line: line_number }, test_id, issue_text);
    }),
    ...toJsonList(report['errors']).map((entry) => {
      const { filename, reason } = toJsonRecord(entry);
      return createToolFinding(root, { file: filename }, 'not_scanned', reason);
    }),
  ]);
};
