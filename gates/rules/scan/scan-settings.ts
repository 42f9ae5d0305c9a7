import * as z from 'zod';
import { compileGlob, invalidGlobReason, type PathMatcher } from '../../../shared/lib/glob/glob.ts';

/** Several values, as a list or as one text with spaces or commas between them. */
const Words = z
  .union([z.string().max(20_000), z.array(z.string().max(1_000)).max(500)])
  .transform((words) =>
    typeof words === 'string' ? words.split(/[\s,]+/) : words.map((word) => word.trim()),
  )
  .transform((words) => words.filter((word) => word !== ''));

/** What stands before a folder or glob that is meant from the root of the repository. */
const ROOT = /^(?:\.?\/)+/;

/** Folders, files or globs. */
export const ScanPathsSetting = Words.superRefine((paths, context) => {
  for (const path of paths) {
    const problem = invalidGlobReason(path.replace(ROOT, '').replace(/\/+$/, '') || '.');
    if (problem) context.addIssue({ code: 'custom', message: `"${path}" ${problem}` });
  }
});

/** Beginnings of values that are no secrets. */
export const IgnoredValuePrefixesSetting = Words;

/** Names of machines, with `*` for one label, e.g. `*.example.net`. */
export const ScanHostsSetting = Words.superRefine((hosts, context) => {
  for (const host of hosts)
    if (
      !/^(?=.{3,253}$)(?:\*|[a-z0-9-]{1,63})(?:\.(?:\*|[a-z0-9-]{1,63}))+$/i.test(host) ||
      !/[a-z0-9]{2}/i.test(host)
    )
      context.addIssue({ code: 'custom', message: `"${host}" is no host name; * stands for one label` });
});

/** Whether a path is one of `paths`, below one of them, or matched by one. A glob without a slash is a file name in any folder. */
export function createPathMatcher(paths: readonly string[]): PathMatcher {
  const globs = paths.flatMap((path) => {
    const plain = path.replace(ROOT, '').replace(/\/+$/, '');
    if (plain === '' || plain === '.') return ['**'];
    const anywhere = !path.includes('/') && /[*?[{]/.test(path) ? `**/${plain}` : plain;
    return [anywhere, `${anywhere}/**`];
  });
  const tests = globs.map((glob) => compileGlob(glob, { dot: true }));
  return (path) => tests.some((matches) => matches(path));
}
