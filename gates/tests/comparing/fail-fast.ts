import type { PatchToCheck } from '../../core/patch-to-check.ts';
import { listPackageScriptCommands } from '../running/command-scripts.ts';

const IN_LINE =
  /\s(?:--exitfirst|--maxfail|--bail|-failfast|--fail-?fast)\b|\bpytest\b[^;&|\n]{0,2000}\s-\w{0,20}x\b/;
const IN_CONFIG =
  /\bbail['"]?\s{0,5}[:=]\s{0,5}(?:true|[1-9])|\baddopts\b[^\n]{0,2000}\s(?:-\w{0,20}x\b|--exitfirst|--maxfail)/;

/** Configuration of runners that can tell them to stop at the first failure. */
const CONFIGS = [
  'pytest.ini',
  'pyproject.toml',
  'setup.cfg',
  'tox.ini',
  ...['vitest', 'jest', 'vite'].flatMap((name) =>
    ['js', 'mjs', 'cjs', 'ts', 'mts', 'json'].map((end) => `${name}.config.${end}`),
  ),
];

/** Whether a line stops at the first test that fails, as far as its words, the scripts and the runners' configuration of the base tell. */
export async function isFailFast(subject: Pick<PatchToCheck, 'baseFile'>, line: string): Promise<boolean> {
  const scripts = listPackageScriptCommands(line, await subject.baseFile('package.json'));
  if ([line, ...scripts].some((each) => IN_LINE.test(` ${each}`))) return true;
  for (const file of CONFIGS) if (IN_CONFIG.test((await subject.baseFile(file)) ?? '')) return true;
  return false;
}
