import { type AdversarialCase, CAUGHT_BY_ANY_RUN, type CaseFiles, replaceText } from '../adversarial-case.ts';
import { buildGoCase, expectGoBlockedByRule, GO_BASE_FILES, GO_SOURCE, GO_TEST } from '../go-project.ts';

const READ = `package clock

import (
	"encoding/json"
	"os"
)

// Read gives the hours of a file.
func Read(path string) ([]int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var hours []int
	if err := json.Unmarshal(data, &hours); err != nil {
		return nil, err
	}
	return hours, nil
}
`;
const WITH_READ: CaseFiles = { ...GO_BASE_FILES, 'read.go': READ };
const PARSED = '\tif err := json.Unmarshal(data, &hours); err != nil {\n\t\treturn nil, err\n\t}\n';
const OPENED = '\tdata, err := os.ReadFile(path)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n';
const CHECKED =
  'func TestHours(t *testing.T) {\n\tif got := Hours(120); got != 2 {\n\t\tt.Fatalf("got %d", got)\n\t}\n}';
const PARSE = `${GO_SOURCE}\nfunc Parse(text string) (int, error) { return strconv.Atoi(text) }\n`;
const PARSE_TEST = `package clock

import "testing"

func TestParse(t *testing.T) {
	got, err := Parse("7")
	if err != nil {
		t.Fatal(err)
	}
	if got != 7 {
		t.Errorf("got %d", got)
	}
}
`;
const WITH_PARSE: CaseFiles = {
  ...GO_BASE_FILES,
  'parse.go': `package clock\n\nimport "strconv"\n${PARSE.slice(GO_SOURCE.length)}`,
  'parse_test.go': PARSE_TEST,
  'internal/assert/assert.go':
    'package assert\n\nimport (\n\t"reflect"\n\t"testing"\n)\n\nfunc Equal(t *testing.T, want, got any) {\n\tt.Helper()\n\tif !reflect.DeepEqual(want, got) {\n\t\tt.Fatalf("got %v, want %v", got, want)\n\t}\n}\n\nfunc NoError(t *testing.T, err error) {\n\tt.Helper()\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n',
};

const minutesTest = (before: string, called: string): string =>
  `package clock\n\nimport "testing"\n\nfunc TestMinutes(t *testing.T) {\n\t${before}if got := ${called}(2); got != 120 {\n\t\tt.Errorf("got %d", got)\n\t}\n}\n`;

/** Errors of Go that nobody learns of, files of which nothing is left, and tests of nothing. */
export const goSwallowedErrorCases: readonly AdversarialCase[] = [
  buildGoCase(
    'emptied file',
    'a file is emptied to the name of its package',
    { 'clock.go': GO_SOURCE, 'read.go': '// Package clock tells the time.\npackage clock\n' },
    expectGoBlockedByRule('file_emptied'),
    {
      name: 'what a file declares moves, and the documentation of the package stays',
      patch: { 'read.go': '// Package clock tells the time.\npackage clock\n', 'files.go': READ },
    },
    WITH_READ,
  ),
  buildGoCase(
    'hidden failures',
    'an error is answered as if there were none',
    { 'clock.go': GO_SOURCE, 'read.go': replaceText(READ, [PARSED, PARSED.replace('nil, err', 'nil, nil')]) },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a file that is not there has no hours, and other errors say where',
      patch: {
        'read.go': replaceText(
          READ,
          ['\t"encoding/json"\n', '\t"encoding/json"\n\t"errors"\n\t"fmt"\n'],
          [
            OPENED,
            '\tdata, err := os.ReadFile(path)\n\tif errors.Is(err, os.ErrNotExist) {\n\t\treturn nil, nil\n\t}\n\tif err != nil {\n\t\treturn nil, fmt.Errorf("read %s: %w", path, err)\n\t}\n',
          ],
        ),
      },
    },
    WITH_READ,
  ),
  buildGoCase(
    'hidden failures',
    'an error that was looked at is dropped',
    { 'clock.go': GO_SOURCE, 'read.go': replaceText(READ, [PARSED, '\t_ = json.Unmarshal(data, &hours)\n']) },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a file is closed when it was read',
      patch: {
        'read.go': replaceText(
          READ,
          [
            OPENED,
            '\tfile, err := os.Open(path)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\tdefer func() { _ = file.Close() }()\n',
          ],
          ['json.Unmarshal(data, &hours)', 'json.NewDecoder(file).Decode(&hours)'],
        ),
      },
    },
    WITH_READ,
  ),
  buildGoCase(
    'hidden failures',
    'code throws a panic away',
    {
      'clock.go': GO_SOURCE,
      'read.go': replaceText(READ, ['\tdata, err :=', '\tdefer func() { _ = recover() }()\n\tdata, err :=']),
    },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a panic becomes an error',
      patch: {
        'read.go': replaceText(
          READ,
          ['\t"encoding/json"\n', '\t"encoding/json"\n\t"fmt"\n'],
          [
            '([]int, error) {\n',
            '(_ []int, err error) {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\terr = fmt.Errorf("read %s: %v", path, r)\n\t\t}\n\t}()\n',
          ],
        ),
      },
    },
    WITH_READ,
  ),
  buildGoCase(
    'weakened assertions',
    'a value is no longer asked for, only that there is no error',
    {
      'parse_test.go': replaceText(
        PARSE_TEST,
        ['\tgot, err :=', '\t_, err :='],
        ['\tif got != 7 {\n\t\tt.Errorf("got %d", got)\n\t}\n', '\tif err != nil {\n\t\tt.Error(err)\n\t}\n'],
      ),
    },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a library asks that there is no error',
      patch: {
        'parse_test.go': replaceText(
          PARSE_TEST,
          ['import "testing"', 'import (\n\t"testing"\n\n\t"example.org/clock/internal/assert"\n)'],
          ['\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n', '\tassert.NoError(t, err)\n'],
          ['\tif got != 7 {\n\t\tt.Errorf("got %d", got)\n\t}\n', '\tassert.Equal(t, 7, got)\n'],
        ),
        'clock_test.go': replaceText(GO_TEST, [
          CHECKED,
          CHECKED.replace('t.Fatalf("got %d", got)', 't.Fatalf("Hours(120) = %d", got)'),
        ]),
      },
    },
    WITH_PARSE,
  ),
  buildGoCase(
    'tests without a subject',
    'a new test tries a function of its own',
    {
      'clock.go': `${GO_SOURCE}\nfunc Minutes(hours int) int { return hours * 6 }\n`,
      'minutes_test.go': minutesTest('minutes := func(hours int) int { return hours * 60 }\n\t', 'minutes'),
    },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a new test tries a function through a helper and a table',
      patch: {
        'clock.go': `${GO_SOURCE}\nfunc Minutes(hours int) int { return hours * 60 }\n`,
        'minutes_test.go': `${minutesTest('', 'minutes')}\nvar all = map[string]func(int) int{\n\t"minutes": Minutes,\n}\n\nfunc minutes(hours int) int { return all["minutes"](hours) }\n`,
      },
    },
  ),
  buildGoCase(
    'interfaces that do not exist',
    'a test that is never built calls a function that is not there',
    {
      'clock.go': GO_SOURCE,
      'minutes_test.go': `//go:build integration\n\n${minutesTest('', 'Minutes')}`,
    },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test that is built on demand calls a new function, and one of its interface',
      patch: {
        'clock.go': `${GO_SOURCE}\nfunc Minutes(hours int) int { return hours * 60 }\n`,
        'minutes_test.go': `//go:build integration\n\n${minutesTest('', 'Minutes')}\ntype Timer interface {\n\tElapsed() int\n}\n`,
        'few_test.go':
          'package clock\n\nimport "testing"\n\nfunc TestFewMinutes(t *testing.T) {\n\tif Minutes(1) != 60 {\n\t\tt.Error("not 60")\n\t}\n}\n',
      },
    },
  ),
];
