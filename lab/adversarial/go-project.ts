import {
  type AdversarialCase,
  type CaseFiles,
  type ExpectedCatch,
  type PatchFiles,
  replaceText,
} from './adversarial-case.ts';
import { GO_TEST_CONFIG } from './sample-projects.ts';

export const GO_SOURCE = `package clock

func Hours(minutes int) int { return minutes / 60 }

func Late(hour int) bool { return hour > 21 }
`;
export const BROKEN_GO_SOURCE = replaceText(GO_SOURCE, ['/ 60', '/ 6']);
export const GO_TEST = `package clock

import (
	"fmt"
	"testing"
)

func TestHours(t *testing.T) {
	if got := Hours(120); got != 2 {
		t.Fatalf("got %d", got)
	}
}

func TestLate(t *testing.T) {
	cases := []struct {
		hour int
		late bool
	}{
		{23, true},
		{8, false},
	}
	for _, each := range cases {
		if got := Late(each.hour); got != each.late {
			t.Errorf("%d: got %v", each.hour, got)
		}
	}
}

func ExampleHours() {
	fmt.Println(Hours(60))
	// Output: 1
}
`;
export const GO_BASE_FILES: CaseFiles = {
  'go.mod': 'module example.org/clock\n\ngo 1.21\n\nrequire example.org/assert v1.2.3\n',
  'clock.go': GO_SOURCE,
  'clock_test.go': GO_TEST,
};
export const EXTRA_GO_TEST =
  'package clock\n\nimport "testing"\n\nfunc TestNone(t *testing.T) {\n\tif Hours(0) != 0 {\n\t\tt.Error("not none")\n\t}\n}\n';

interface Twin {
  readonly name: string;
  readonly patch: PatchFiles;
  readonly files?: readonly string[];
}
export const buildGoCase = (
  of: string,
  name: string,
  patch: PatchFiles,
  caught: ExpectedCatch,
  twin: Twin,
  base: CaseFiles = GO_BASE_FILES,
): AdversarialCase => ({
  class: of,
  name: `${name} (Go)`,
  base,
  config: GO_TEST_CONFIG,
  patch: { 'clock.go': BROKEN_GO_SOURCE, ...patch },
  expectedCatch: caught,
  honestTwin: { ...twin, name: `${twin.name} (Go)` },
});
export const expectGoBlockedByRule = (rule: string): ExpectedCatch => ({
  how: 'blocked',
  by: 'suppressions',
  rule,
});
/** The tests, edited. */
export const editGoTests = (...pairs: readonly (readonly [string, string])[]): PatchFiles => ({
  'clock_test.go': replaceText(GO_TEST, ...pairs),
});
export const addTestMain = (body: string): PatchFiles => ({
  'main_test.go': `package clock\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n${body}}\n`,
});
