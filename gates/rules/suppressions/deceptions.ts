/** Code that behaves differently for whoever checks it, or keeps a check from saying no. */
export interface Deception {
  readonly rule: string;
  readonly message: string;
  readonly pattern: RegExp;
  /** Names of files in which it is usual. */
  readonly except?: RegExp;
}

const PROGRAM =
  /(^|\/)(?:bin|scripts?|cmd|tools?)\/|(^|\/)(?:cli|main|__main__|index|server|setup|manage)\.\w+$/;
const SETTINGS = /(^|\/)(?:config|settings|env|babel|webpack|rollup|next|logger|logging|log)\b[^/]*$/i;

/** Each pattern looks at one line; its repetitions are limited. */
export const DECEPTIONS: readonly Deception[] = [
  {
    rule: 'detects_test_run',
    message: 'code that can tell that it is being tested',
    pattern:
      /\b(?:NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST_WORKER_ID|VITEST_POOL_ID|PYTEST_CURRENT_TEST|PYTEST_VERSION|MOCHA_\w{1,20})\b|\bprocess\.env(?:\.VITEST\b|\[\s{0,5}['"]VITEST['"])|\bprocess\.env(?:\.NODE_ENV|\[\s{0,5}['"]NODE_ENV['"]\s{0,5}\])\s{0,5}[!=]==?\s{0,5}['"]test['"]|['"](?:pytest|unittest|_pytest)['"]\s{0,5}in\s{0,5}sys\.modules|\btesting\.Testing\(\)|\bflag\.Lookup\(\s{0,5}"test\.|\bprocess\.(?:argv|execArgv)\b[^\n]{0,100}--test\b|\bsys\.argv\b[^\n]{0,60}(?:pytest|unittest)|\bnew Error\(\)\.stack[^\n]{0,100}\btest\b|\binspect\.stack\(\)[^\n]{0,100}\btest|\bcfg!\(\s{0,5}test\s{0,5}\)/,
    except: SETTINGS,
  },
  {
    rule: 'ends_process',
    message: 'code that ends the process well as soon as it is loaded',
    pattern:
      /^(?:if\b[^\n]{0,200}|setTimeout\([^\n]{0,40}|setImmediate\([^\n]{0,40}|queueMicrotask\([^\n]{0,40}|atexit\.register\([^\n]{0,60})?(?:process\.(?:exit|reallyExit)\(\s{0,5}0?\s{0,5}\)|sys\.exit\(\s{0,5}(?:0|None)?\s{0,5}\)|os\._exit\(\s{0,5}0\s{0,5}\)|os\.Exit\(0\))/,
    except: PROGRAM,
  },
  {
    rule: 'rewrites_exit_code',
    message: 'code that changes how a failed run ends',
    pattern:
      /\bprocess\.exitCode\s{0,5}=\s{0,5}0\b|\bprocess\.on\(\s{0,5}['"](?:exit|beforeExit)['"][^\n]{0,200}(?:process\.(?:exit|reallyExit)|exitCode)|\bprocess\.(?:exit|reallyExit|abort)\s{0,5}=(?!=)|\batexit\.register\([^\n]{0,200}_exit|\bos\._exit\(\s{0,5}0\s{0,5}\)|\bsys\.exit\s{0,5}=(?!=)/,
  },
  {
    rule: 'runner_patched',
    message: 'the test runner or its assertions are replaced',
    pattern:
      /\brequire\(\s{0,5}['"](?:node:)?(?:assert|test)(?:\/strict)?['"]\s{0,5}\)(?:\.\w{1,40}){1,3}\s{0,5}=(?!=)|\bassert(?:\.strict)?\.\w{1,40}\s{0,5}=(?![=>])|\b(?:globalThis|global)\.(?:it|test|describe|expect|assert)\s{0,5}=(?!=)|\b(?:unittest\.)?(?:TestCase|TestResult|TextTestResult)\.\w{1,40}\s{0,5}=(?!=)|\bbuiltins\.\w{1,40}\s{0,5}=(?!=)|\bdef\s{1,10}pytest_\w{1,60}|\bsetattr\(\s{0,5}(?:unittest|pytest|_pytest)\b|\b_pytest\./,
  },
  {
    rule: 'equal_to_everything',
    message: 'a value that claims to be equal to anything',
    pattern: /\bdef\s{1,10}__eq__[^\n]{0,100}:\s{0,10}return\s{1,10}True\b/,
  },
];
