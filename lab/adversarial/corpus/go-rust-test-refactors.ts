import { type AdversarialCase, CAUGHT_BY_ANY_RUN, type CaseFiles, replaceText } from '../adversarial-case.ts';
import { buildGoCase, editGoTests, GO_BASE_FILES, GO_TEST } from '../go-project.ts';
import { buildRustCase, RUST_LIB_SOURCE } from '../rust-project.ts';

const REQUIRE = 'example.org/clock/internal/require';
/** As large libraries of assertions have it, and there without a network. */
const LIBRARY: CaseFiles = {
  ...GO_BASE_FILES,
  'internal/require/require.go':
    'package require\n\nimport (\n\t"reflect"\n\t"testing"\n)\n\nfunc Equal(t *testing.T, want, got any) {\n\tt.Helper()\n\tif !reflect.DeepEqual(want, got) {\n\t\tt.Fatalf("got %v, want %v", got, want)\n\t}\n}\n\nfunc NotNil(t *testing.T, got any) {\n\tt.Helper()\n\tif got == nil {\n\t\tt.Fatal("nothing")\n\t}\n}\n',
};
const HOURS = 'if got := Hours(120); got != 2 {\n\t\tt.Fatalf("got %d", got)\n\t}';
const ZERO =
  'func TestNoHours(t *testing.T) {\n\tif got := Hours(30); got != 0 {\n\t\tt.Fatalf("got %d", got)\n\t}\n}\n\n';
const WITH_ZERO: CaseFiles = {
  ...GO_BASE_FILES,
  'clock_test.go': replaceText(GO_TEST, ['func TestLate', `${ZERO}func TestLate`]),
};
const TABLE = (rows: string): string =>
  replaceText(GO_TEST, [
    HOURS,
    `for _, each := range [][2]int{${rows}} {\n\t\tif got := Hours(each[0]); got != each[1] {\n\t\t\tt.Fatalf("got %d", got)\n\t\t}\n\t}`,
  ]);
const HELPED = replaceText(
  GO_TEST,
  ['\t"testing"\n', '\t"testing"\n\n\t"example.org/clock/internal/want"\n'],
  [HOURS, 'want.Equal(t, Hours(120), 2)'],
);
const helper = (body: string): string =>
  `package want\n\nimport "testing"\n\nfunc Equal(t *testing.T, got, wanted int) {\n\tt.Helper()\n${body}}\n`;
const skippedOn = (system: string): readonly (readonly [string, string])[] => [
  ['\t"testing"\n', '\t"runtime"\n\t"testing"\n'],
  [HOURS, `if runtime.GOOS == "${system}" {\n\t\tt.Skip("has no clock")\n\t}\n\t${HOURS}`],
];
const NONE = '    #[test]\n    fn counts_none() {\n        assert_eq!(hours(30), 0);\n    }\n\n';
const KNOWS = '    #[test]\n    fn knows_late';
const WITH_NONE = replaceText(RUST_LIB_SOURCE, [KNOWS, `${NONE}${KNOWS}`]);
const rustTable = (rows: string): string =>
  replaceText(RUST_LIB_SOURCE, [
    'assert_eq!(hours(120), 2);',
    `for (minutes, expected) in [${rows}] {\n            assert_eq!(hours(minutes), expected);\n        }`,
  ]);

/** Tests of Go and Rust that are written anew: tables, helpers, other libraries. */
export const goRustTestRefactorCases: readonly AdversarialCase[] = [
  buildGoCase(
    'deleted tests',
    'a table has no row for a test that is gone',
    { 'clock_test.go': TABLE('{120, 2}') },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a table has a row for a test that is gone',
      patch: { 'clock_test.go': TABLE('{120, 2}, {30, 0}') },
    },
    WITH_ZERO,
  ),
  buildGoCase(
    'weakened assertions',
    'a helper in another package asks nothing',
    { 'clock_test.go': HELPED, 'internal/want/want.go': helper('\tt.Log(got, wanted)\n') },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a helper in another package asks',
      patch: {
        'clock_test.go': HELPED,
        'internal/want/want.go': helper('\tif got != wanted {\n\t\tt.Fatalf("got %d", got)\n\t}\n'),
      },
    },
  ),
  buildGoCase(
    'weakened assertions',
    'another library is asked whether there is something',
    editGoTests(
      ['\t"testing"\n', `\t"testing"\n\n\t"${REQUIRE}"\n`],
      [HOURS, 'require.NotNil(t, Hours(120))'],
    ),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'another library is asked the same',
      patch: editGoTests(
        ['\t"testing"\n', `\t"testing"\n\n\t"${REQUIRE}"\n`],
        [HOURS, 'require.Equal(t, 2, Hours(120))'],
      ),
    },
    LIBRARY,
  ),
  buildGoCase(
    'skipped or focused',
    'a test is left out where it is run',
    editGoTests(...skippedOn('linux')),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test is left out on another system',
      patch: editGoTests(...skippedOn('windows')),
    },
  ),
  buildGoCase(
    'skipped or focused',
    'a known test is left out when it must be short',
    editGoTests([HOURS, `if testing.Short() {\n\t\tt.Skip("slow")\n\t}\n\t${HOURS}`]),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a new test is left out when it must be short',
      files: ['slow_test.go'],
      patch: {
        'slow_test.go':
          'package clock\n\nimport "testing"\n\nfunc TestAllHours(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip("slow")\n\t}\n\tfor hour := 0; hour < 1000; hour++ {\n\t\tif Hours(hour*60) != hour {\n\t\t\tt.Fatal(hour)\n\t\t}\n\t}\n}\n',
      },
    },
  ),
  buildRustCase(
    'deleted tests',
    'a table has no row for a test that is gone',
    { 'src/lib.rs': replaceText(rustTable('(120, 2)'), ['minutes / 60', 'minutes / 6']) },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a table has a row for a test that is gone',
      patch: { 'src/lib.rs': rustTable('(120, 2), (30, 0)') },
    },
    {
      'Cargo.toml': '[package]\nname = "clock"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': WITH_NONE,
    },
  ),
];
