import { type Complaint, complaint, type Format, findingsOnly, list, mustList, object } from './report.ts';

const eslintFrom =
  (least: number): Format =>
  (text, root) =>
    findingsOnly(
      mustList(JSON.parse(text), 'files').flatMap((entry) => {
        const { filePath, messages } = object(entry);
        return list(messages).flatMap((each) => {
          const { ruleId, severity, line, message } = object(each);
          return typeof severity === 'number' && severity >= least
            ? [complaint(root, { file: filePath, line }, ruleId ?? 'syntax', message)]
            : [];
        });
      }),
    );

/** `eslint --format json` */
export const eslint: Format = eslintFrom(2);
/** The same, with what the project is only warned of. */
export const eslintWarnings: Format = eslintFrom(1);

/** What GitLab's code-quality report calls a warning and less: with nothing graver, biome ends with 0. */
const WARNINGS: readonly unknown[] = ['info', 'minor', 'major'];

/** GitLab's code-quality report, as `biome --reporter=gitlab` writes it. */
export const gitlab: Format = (text, root) =>
  findingsOnly(
    mustList(JSON.parse(text), 'issues').flatMap((entry) => {
      const { check_name, description, location, severity } = object(entry);
      const { path, lines } = object(location);
      return WARNINGS.includes(severity)
        ? []
        : [complaint(root, { file: path, line: object(lines)['begin'] }, check_name, description)];
    }),
  );

/** `pyright --outputjson`; its lines count from 0. */
export const pyright: Format = (text, root) =>
  findingsOnly(
    mustList(object(JSON.parse(text))['generalDiagnostics'], 'generalDiagnostics').flatMap((entry) => {
      const { file, severity, message, rule, range } = object(entry);
      const line = object(object(range)['start'])['line'];
      return severity === 'error'
        ? [
            complaint(
              root,
              { file, line: typeof line === 'number' ? line + 1 : null },
              rule ?? 'syntax',
              message,
            ),
          ]
        : [];
    }),
  );

/** `mypy --output json`: one object per line, nothing when all is well. */
export const mypy: Format = (text, root) =>
  findingsOnly(
    text.split('\n').flatMap((line): Complaint[] => {
      if (line.trim() === '') return [];
      const { file, line: at, message, code, severity } = object(JSON.parse(line));
      return severity === 'error' ? [complaint(root, { file, line: at }, code ?? 'syntax', message)] : [];
    }),
  );

/** `bandit --format json`. Files that it could not read are complaints too: nobody silences a scanner by breaking the code. */
export const bandit: Format = (text, root) => {
  const report = object(JSON.parse(text));
  return findingsOnly([
    ...mustList(report['results'], 'results').map((entry) => {
      const { filename, line_number, test_id, issue_text } = object(entry);
      return complaint(root, { file: filename, line: line_number }, test_id, issue_text);
    }),
    ...list(report['errors']).map((entry) => {
      const { filename, reason } = object(entry);
      return complaint(root, { file: filename }, 'not_scanned', reason);
    }),
  ]);
};
