import { complaint, type Format, findingsOnly, type Ground, list, object } from './report.ts';

/** `vulture`, which has no machine format: each line is `file:line: message (90% confidence)`. */
export const vulture: Format = (text, root) =>
  findingsOnly(
    text.split('\n').flatMap((line) => {
      const [, file, at, message] =
        /^([^\n:]{1,4096}):(\d{1,9}): ([^\n]{1,1000}) \(\d{1,3}% confidence/.exec(line) ?? [];
      return message === undefined ? [] : [complaint(root, { file, line: Number(at) }, 'vulture', message)];
    }),
  );

const unusedFile = (root: Ground, file: unknown) =>
  complaint(root, { file, line: 1 }, 'knip', 'nothing imports this file');

/** `knip --reporter json` */
export const knip: Format = (text, root) => {
  const report = object(JSON.parse(text));
  return findingsOnly([
    // Up to version 5 a list of names beside the issues, since then an issue of the file.
    ...list(report['files']).flatMap((file) => (typeof file === 'string' ? [unusedFile(root, file)] : [])),
    ...list(report['issues'])
      .map(object)
      .flatMap(({ file, files, exports, types }) => {
        const unused = (what: string) => (item: unknown) => {
          const { line = 1, name } = object(item);
          return complaint(root, { file, line }, 'knip', `${what} ${String(name)} is not used`);
        };
        return [
          ...list(files).map(() => unusedFile(root, file)),
          ...list(exports).map(unused('the export')),
          ...list(types).map(unused('the type')),
        ];
      }),
  ]);
};
