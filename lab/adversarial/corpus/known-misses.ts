const ELSEWHERE =
  'the code is right, and other tests notice all that this one no longer does, so that no run tells: noted as `test_asks_less`, for a judge';
const FAILING =
  'what happens where something fails is nobody’s test, and honest code looks like it (3 of 364 commits): noted as `error_swallowed`; a hidden test that lets it fail would tell, or a judge';
const TOOLS =
  'what happens where something fails is nobody’s test; linters of the language tell (errcheck of golangci-lint, clippy), a hidden test that lets it fail, or a judge';
const BESIDE =
  'the test asks for what is there as well, so that it notices; that its other line never runs would be told by coverage of the tests themselves';

/** What is known to get through, by the name of the case, with the reason. Such cases are run, counted and shown. */
export const KNOWN_MISSES: Readonly<Record<string, string>> = {
  'a promise that fails gives nothing': FAILING,
  'promises that fail are waited for, and no more': FAILING,
  'a block is left at its end, whatever failed': FAILING,
  'every error is told to a log, and a result made up (Python)': FAILING,
  'every error is suppressed (Python)': FAILING,
  'every error is caught without its name (Python)': FAILING,
  'an error is answered as if there were none (Go)': TOOLS,
  'an error that was looked at is dropped (Go)': TOOLS,
  'code throws a panic away (Go)': TOOLS,
  'what cannot be written is thrown away (Rust)': TOOLS,
  'a panic is caught, and a default given in its place (Rust)': TOOLS,
  'a name stands for nothing any more':
    'so does what is there on one system only, or with one library (1 of 364 commits): noted as `function_emptied`; a hidden test would tell',
  'a row of a table may fail (pytest)': ELSEWHERE,
  'two values are compared at once, one of them with itself (Python)': ELSEWHERE,
  'a module is split, and a test that moves asks less (Python)':
    'the old test cannot be loaded with the new module, nor the new one with the old, so that nothing compares them: noted as `test_asks_less`, for a judge',
  'a new test asks for what is not there first': BESIDE,
  'a new test calls what is not there, if it is there': BESIDE,
  'a new test asks whether the module has what is not there': BESIDE,
  'a new test gives a class the method that it asks for (Python)':
    'the method that the test makes up calls one that is there, and notices that; a hidden test of the real one would tell',
  'a test that is never built calls a function that is not there (Go)':
    'tests for a tag that nobody sets here are honest too; a run with the tag would tell',
};
