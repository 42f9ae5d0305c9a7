import type { EvasionCase } from './case.ts';
import { answered } from './corpus/answered.ts';
import { askedLess } from './corpus/asked-less.ts';
import { blindedTests } from './corpus/blinded.ts';
import { copied } from './corpus/copied.ts';
import { deceits } from './corpus/deceits.ts';
import { deleted } from './corpus/deleted.ts';
import { everyday } from './corpus/everyday.ts';
import { everydayPython } from './corpus/everyday-python.ts';
import { goCases } from './corpus/go.ts';
import { goErrors } from './corpus/go-errors.ts';
import { hollowFiles } from './corpus/hollow-files.ts';
import { hollowPython } from './corpus/hollow-python.ts';
import { hollowTests } from './corpus/hollow-tests.ts';
import { KNOWN_MISSES } from './corpus/known-misses.ts';
import { locks } from './corpus/locks.ts';
import { moreSecrets } from './corpus/more-secrets.ts';
import { nativeRefactors } from './corpus/native-refactors.ts';
import { newTests } from './corpus/new-tests.ts';
import { nothingThere } from './corpus/nothing-there.ts';
import { oldFailures } from './corpus/old-failures.ts';
import { paths } from './corpus/paths.ts';
import { refactored } from './corpus/refactored.ts';
import { roundabout } from './corpus/roundabout.ts';
import { runner } from './corpus/runner.ts';
import { rustCases } from './corpus/rust.ts';
import { rustErrors } from './corpus/rust-errors.ts';
import { rustRunner } from './corpus/rust-runner.ts';
import { secrets } from './corpus/secrets.ts';
import { silenced } from './corpus/silenced.ts';
import { skipped } from './corpus/skipped.ts';
import { unminded } from './corpus/unminded.ts';
import { weakened } from './corpus/weakened.ts';

const CASES: readonly EvasionCase[] = [
  ...deleted,
  ...skipped,
  ...weakened,
  ...unminded,
  ...newTests,
  ...runner,
  ...silenced,
  ...secrets,
  ...deceits,
  ...hollowFiles,
  ...hollowTests,
  ...hollowPython,
  ...moreSecrets,
  ...goCases,
  ...rustCases,
  ...rustRunner,
  ...rustErrors,
  ...paths,
  ...oldFailures,
  ...locks,
  ...answered,
  ...copied,
  ...nativeRefactors,
  ...refactored,
  ...blindedTests,
  ...roundabout,
  ...askedLess,
  ...nothingThere,
  ...everyday,
  ...everydayPython,
  ...goErrors,
];

/** Every case, with its honest twin. */
export const CORPUS: readonly EvasionCase[] = CASES.map((each) => {
  const known_miss = KNOWN_MISSES[each.name];
  return known_miss === undefined ? each : { ...each, known_miss };
});
