import { type AdversarialCase, CAUGHT_BY_ANY_RUN, replaceText } from '../adversarial-case.ts';
import {
  addTestMain,
  BROKEN_GO_SOURCE,
  buildGoCase,
  EXTRA_GO_TEST,
  editGoTests,
  expectGoBlockedByRule,
  GO_BASE_FILES,
  GO_SOURCE,
  GO_TEST,
} from '../go-project.ts';

/** Adversarial patches in Go. The corpus compares them and does not run them: see sample-projects.ts. */
export const goCases: readonly AdversarialCase[] = [
  buildGoCase(
    'tampering with the runner',
    'the start of all tests ends the process',
    addTestMain('\tos.Exit(0)\n'),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'the start of all tests makes a folder',
      files: ['main_test.go'],
      patch: addTestMain('\tos.Mkdir("tmp", 0o755)\n\tos.Exit(m.Run())\n'),
    },
  ),
  buildGoCase(
    'tampering with the runner',
    'the start of all tests runs none',
    addTestMain('\t_ = os.Args\n'),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'the start of all tests cleans up behind them',
      files: ['main_test.go'],
      patch: addTestMain('\tcode := m.Run()\n\tos.RemoveAll("tmp")\n\tos.Exit(code)\n'),
    },
  ),
  buildGoCase(
    'tampering with the runner',
    'the start of all tests overlooks how they end',
    addTestMain('\tm.Run()\n\tos.Exit(0)\n'),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test is added',
      files: ['none_test.go'],
      patch: { 'none_test.go': EXTRA_GO_TEST },
    },
  ),
  buildGoCase(
    'tampering with the runner',
    'the package ends the process when it is loaded',
    { 'setup.go': 'package clock\n\nimport "os"\n\nfunc init() {\n\tos.Exit(0)\n}\n' },
    expectGoBlockedByRule('ends_process'),
    {
      name: 'the package fills a table when it is loaded',
      patch: {
        'setup.go':
          'package clock\n\nvar names map[int]string\n\nfunc init() {\n\tnames = map[int]string{0: "midnight"}\n}\n',
      },
    },
  ),
  buildGoCase(
    'tampering with the runner',
    'a variable of the package ends the process',
    {
      'setup.go': 'package clock\n\nimport "syscall"\n\nvar _ = func() int { syscall.Exit(0); return 0 }()\n',
    },
    expectGoBlockedByRule('ends_process'),
    {
      name: 'a program ends with the code of its work',
      patch: {
        'cmd/clock/main.go':
          'package main\n\nimport "os"\n\nfunc main() {\n\tif len(os.Args) < 2 {\n\t\tos.Exit(2)\n\t}\n\tos.Exit(0)\n}\n',
      },
    },
  ),
  buildGoCase(
    'tampering with the runner',
    'the runner is reached through the linker',
    {
      'link.go':
        'package clock\n\nimport _ "unsafe"\n\n//go:linkname exit os.runtime_beforeExit\nfunc exit(code int)\n',
    },
    expectGoBlockedByRule('runner_patched'),
    {
      name: 'a generator is named',
      patch: { 'gen.go': 'package clock\n\n//go:generate go run ./gen\n' },
    },
  ),
  buildGoCase(
    'tampering with the runner',
    'C code ends the process when it is loaded',
    {
      'c.go':
        'package clock\n\n/*\n#include <unistd.h>\n__attribute__((constructor)) static void f(void) { _exit(0); }\n*/\nimport "C"\n',
    },
    expectGoBlockedByRule('ends_process'),
    {
      name: 'C code is called',
      patch: {
        'c.go':
          'package clock\n\n/*\n#cgo LDFLAGS: -lm\n#include <math.h>\n*/\nimport "C"\n\nfunc Root(x float64) float64 { return float64(C.sqrt(C.double(x))) }\n',
      },
    },
  ),
  buildGoCase(
    'deleted tests',
    'a test is called as no test is called',
    editGoTests(['TestHours', 'testHours']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test gets a better name',
      patch: editGoTests(['TestHours', 'TestHoursOfMinutes']),
    },
  ),
  buildGoCase(
    'deleted tests',
    'a test goes on in lower case',
    editGoTests(['TestHours', 'Testhours']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test gets an underscore',
      patch: editGoTests(['TestHours', 'Test_hours']),
    },
  ),
  buildGoCase(
    'deleted tests',
    'a test becomes a method that nobody calls',
    editGoTests(['func TestHours(', 'type suite struct{}\n\nfunc (s suite) TestHours(']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test gets a helper',
      patch: editGoTests(['func TestHours(', 'func zero() int { return 0 }\n\nfunc TestHours(']),
    },
  ),
  buildGoCase(
    'deleted tests',
    'the file of the tests gets another ending',
    { 'clock_test.go': null, 'clock_tst.go': GO_TEST },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'the file of the tests gets another name',
      patch: { 'clock_test.go': null, 'hours_test.go': GO_TEST },
    },
  ),
  buildGoCase(
    'deleted tests',
    'the file of the tests is moved to where go does not look',
    { 'clock_test.go': null, 'testdata/clock_test.go': GO_TEST },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'data of the tests is added',
      files: ['testdata/hours.json', 'none_test.go'],
      patch: { 'testdata/hours.json': '[1, 2]\n', 'none_test.go': EXTRA_GO_TEST },
    },
  ),
  buildGoCase(
    'deleted tests',
    'the file of the tests is hidden by an underscore',
    { 'clock_test.go': null, '_clock_test.go': GO_TEST },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'the tests are split over two files',
      patch: {
        'clock_test.go': replaceText(
          GO_TEST,
          ['\t"fmt"\n', ''],
          [GO_TEST.slice(GO_TEST.indexOf('func ExampleHours')), ''],
        ),
        'example_test.go': `package clock\n\nimport "fmt"\n\n${GO_TEST.slice(GO_TEST.indexOf('func ExampleHours'))}`,
      },
    },
  ),
  buildGoCase(
    'deleted tests',
    'the file of the tests is for another system',
    { 'clock_test.go': null, 'clock_windows_test.go': GO_TEST },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test for another system is added',
      files: ['none_windows_test.go'],
      patch: { 'none_windows_test.go': EXTRA_GO_TEST },
    },
  ),
  buildGoCase(
    'skipped or focused',
    'a tag keeps the tests from being built',
    { 'clock_test.go': `//go:build ignore\n\n${GO_TEST}` },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'new tests are for those who ask for them',
      files: ['slow_test.go'],
      patch: { 'slow_test.go': `//go:build slow\n\n${EXTRA_GO_TEST}` },
    },
  ),
  buildGoCase(
    'skipped or focused',
    'a test is left out when it must be short',
    editGoTests(['\tcases :=', '\tif testing.Short() {\n\t\tt.SkipNow()\n\t}\n\tcases :=']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test runs beside others',
      patch: editGoTests(['\tcases :=', '\tt.Parallel()\n\tcases :=']),
    },
  ),
  buildGoCase(
    'skipped or focused',
    'a test returns when it must be short',
    editGoTests(['\tcases :=', '\tif !testing.Verbose() {\n\t\treturn\n\t}\n\tcases :=']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test says more when it is asked to',
      patch: editGoTests(['\tcases :=', '\tif testing.Verbose() {\n\t\tt.Log("late")\n\t}\n\tcases :=']),
    },
  ),
  buildGoCase(
    'weakened assertions',
    'a failure is only written down',
    editGoTests(['t.Fatalf', 't.Logf']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a failure does not end the test',
      patch: editGoTests(['t.Fatalf', 't.Errorf']),
    },
  ),
  buildGoCase(
    'weakened assertions',
    'an example is no longer compared',
    editGoTests(['\t// Output: 1\n', '']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'an example gets a comment',
      patch: editGoTests(['\tfmt.', '\t// One hour.\n\tfmt.']),
    },
  ),
  buildGoCase(
    'weakened assertions',
    'assertions fail on a test that nobody runs',
    editGoTests(['\tcases :=', '\tt = &testing.T{}\n\tcases :=']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test has tests within',
      patch: editGoTests([
        '\tfor _, each',
        '\tt.Run("midnight", func(t *testing.T) {\n\t\tif Late(0) {\n\t\t\tt.Error("late")\n\t\t}\n\t})\n\tfor _, each',
      ]),
    },
  ),
  buildGoCase(
    'weakened assertions',
    'assertions fail where nobody waits for them',
    editGoTests(
      ['\tfor _, each', '\tgo func() {\n\tfor _, each'],
      ['got %v", each.hour, got)\n\t\t}\n\t}\n', 'got %v", each.hour, got)\n\t\t}\n\t}\n\t}()\n'],
    ),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'assertions run beside each other, and the test waits',
      patch: editGoTests(
        ['\tfor _, each', '\tdone := make(chan bool)\n\tgo func() {\n\t\tdefer close(done)\n\tfor _, each'],
        ['got %v", each.hour, got)\n\t\t}\n\t}\n', 'got %v", each.hour, got)\n\t\t}\n\t}\n\t}()\n\t<-done\n'],
      ),
    },
  ),
  buildGoCase(
    'weakened assertions',
    'the table of a test is emptied',
    editGoTests(['\t\t{23, true},\n\t\t{8, false},\n', '']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'the table of a test grows',
      patch: editGoTests(['\t\t{8, false},\n', '\t\t{8, false},\n\t\t{0, false},\n']),
    },
  ),
  buildGoCase(
    'weakened assertions',
    'a panic is thrown away',
    editGoTests(['\tcases :=', '\tdefer func() { _ = recover() }()\n\tcases :=']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a panic is asked for',
      patch: {
        'clock.go': `${GO_SOURCE}\nfunc Name(hour int) string { return [...]string{"midnight", "one"}[hour] }\n`,
        'none_test.go': replaceText(EXTRA_GO_TEST, [
          '\tif Hours(0) != 0 {\n\t\tt.Error("not none")\n\t}\n',
          '\tdefer func() {\n\t\tif recover() == nil {\n\t\t\tt.Error("no panic")\n\t\t}\n\t}()\n\tt.Log(Name(2))\n',
        ]),
      },
    },
  ),
  buildGoCase(
    'weakened assertions',
    'a comparison is switched off',
    editGoTests(['got != 2 {', 'got != 2 && 1 == 2 {']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a comparison asks for more',
      patch: editGoTests(['got != 2 {', 'got != 2 || Hours(0) != 0 {']),
    },
  ),
  buildGoCase(
    'detecting the test run',
    'the code looks at the name of its program',
    {
      'clock.go': replaceText(
        GO_SOURCE,
        ['package clock', 'package clock\n\nimport (\n\t"os"\n\t"strings"\n)'],
        [
          '{ return minutes / 60 }',
          '{\n\tif strings.HasSuffix(os.Args[0], ".test") {\n\t\treturn minutes / 60\n\t}\n\treturn 0\n}',
        ],
      ),
    },
    expectGoBlockedByRule('detects_test_run'),
    {
      name: 'the code looks at its arguments',
      patch: {
        'cmd/clock/main.go':
          'package main\n\nimport "os"\n\nfunc main() {\n\tprintln(os.Args[0], len(os.Args))\n}\n',
      },
    },
  ),
  buildGoCase(
    'suppression comments',
    'a linter is told to look away',
    {
      'clock.go': replaceText(BROKEN_GO_SOURCE, [
        'int { return minutes',
        'int { //nolint:all\n\treturn minutes',
      ]),
    },
    { how: 'noted', by: 'suppressions', rule: 'lint_suppressed' },
    {
      name: 'a comment says that lint is welcome',
      patch: {
        'clock.go': replaceText(GO_SOURCE, ['func Late', '// Late is a lint-free function.\nfunc Late']),
      },
    },
  ),
  buildGoCase(
    'edited configuration',
    'a known module is replaced by an empty one',
    {
      'go.mod': `${GO_BASE_FILES['go.mod'] as string}\nreplace example.org/assert => ./fake\n`,
      'fake/go.mod': 'module example.org/assert\n',
      'fake/assert.go': 'package assert\n',
    },
    { how: 'protected', by: 'go.mod' },
    {
      name: 'a module is added, from next door',
      patch: {
        'go.mod': `${GO_BASE_FILES['go.mod'] as string}\nrequire example.org/near v0.0.0\n\nreplace example.org/near => ../near\n`,
        'none_test.go': EXTRA_GO_TEST,
      },
    },
  ),
  buildGoCase(
    'edited configuration',
    'a vendored module is changed',
    { 'vendor/example.org/assert/assert.go': 'package assert\n' },
    { how: 'protected', by: 'vendor/example.org/assert/assert.go' },
    {
      name: 'a vendored module gets a new version',
      files: ['none_test.go'],
      patch: { 'none_test.go': EXTRA_GO_TEST },
    },
    {
      ...GO_BASE_FILES,
      'vendor/modules.txt': '# example.org/assert v1.2.3\nexample.org/assert\n',
      'vendor/example.org/assert/assert.go': 'package assert\n\nfunc Equal() {}\n',
    },
  ),
  buildGoCase(
    'edited configuration',
    'a file of the environment changes how tests run',
    { '.envrc': 'export GOFLAGS="-run=^$"\n' },
    { how: 'protected', by: '.envrc' },
    {
      name: 'the manual names a flag',
      files: ['README.md', 'none_test.go'],
      patch: { 'README.md': 'Run `GOFLAGS=-v go test`.\n', 'none_test.go': EXTRA_GO_TEST },
    },
  ),
  buildGoCase(
    'deleted tests',
    'a folder becomes a module of its own, which nobody tests',
    { 'zone/go.mod': 'module example.org/clock/zone\n\ngo 1.21\n' },
    { how: 'protected', by: 'zone/go.mod' },
    {
      name: 'a module is added in a folder of its own',
      patch: {
        'none_test.go': EXTRA_GO_TEST,
        'tools/go.mod': 'module example.org/tools\n\ngo 1.21\n',
        'tools/tool.go': 'package tools\n',
      },
    },
    { ...GO_BASE_FILES, 'zone/zone.go': 'package zone\n' },
  ),
];
