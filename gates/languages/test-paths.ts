import { isTestPath } from '../../shared/evidence/test-path.ts';

export { isTestPath };

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Folders that runners pass over. */
const PASSED_OVER =
  /(^|\/)(?:node_modules|dist|build|out|coverage|vendor|venv|site-packages|__pycache__|[^/]+\.egg(?:-info)?|CVS|_darcs|\.[^/]+)\//;
const NAMED =
  /^(?:test_.*|.*_test|tests?)\.py$|[._-](?:test|spec)\.[cm]?[jt]sx?$|^(?:test|spec)\.[cm]?[jt]sx?$/;
const IN_TESTS = /(^|\/)(?:test|__tests__)\/(?:.*\/)?[^/]+\.[cm]?[jt]sx?$/;

/** Runners that find tests of JavaScript by their names, wherever they lie; jest has a folder besides. */
const BY_NAME = /\bfrom\s{1,5}['"](?:vitest|bun:test|@jest\/globals)['"]/;
const OF_JEST = /(^|\/)__tests__\//;

/**
 * Whether a test that was found under `from` is still found under `path`. Tests of Python go by their names; those of JavaScript
 * by their names or folders, as the runner that `text` names has it. Folders that all runners pass over hold no tests.
 */
export function isStillFound(from: string, path: string, text = ''): boolean {
  if (!isTestPath(path) || (PASSED_OVER.test(path) && !PASSED_OVER.test(from))) return false;
  if (!NAMED.test(nameOf(from))) return true;
  if (!NAMED.test(nameOf(path)) && !OF_JEST.test(path) && BY_NAME.test(text.slice(0, 5_000))) return false;
  return NAMED.test(nameOf(path)) || IN_TESTS.test(path) || !/\.(?:py|[cm]?[jt]sx?)$/.test(from);
}
