import { type Catch, type EvasionCase, edit, type Files, type Patch } from './case.ts';
import { GO_TESTS } from './projects.ts';

export const SOURCE = `package clock

func Hours(minutes int) int { return minutes / 60 }

func Late(hour int) bool { return hour > 21 }
`;
export const BROKEN = edit(SOURCE, ['/ 60', '/ 6']);
export const TEST = `package clock

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
export const BASE: Files = {
  'go.mod': 'module example.org/clock\n\ngo 1.21\n\nrequire example.org/assert v1.2.3\n',
  'clock.go': SOURCE,
  'clock_test.go': TEST,
};
export const MORE =
  'package clock\n\nimport "testing"\n\nfunc TestNone(t *testing.T) {\n\tif Hours(0) != 0 {\n\t\tt.Error("not none")\n\t}\n}\n';

interface Twin {
  readonly name: string;
  readonly patch: Patch;
}
export const go = (
  of: string,
  name: string,
  patch: Patch,
  caught: Catch,
  twin: Twin,
  base: Files = BASE,
): EvasionCase => ({
  class: of,
  name: `${name} (Go)`,
  base,
  config: GO_TESTS,
  patch: { 'clock.go': BROKEN, ...patch },
  caught,
  twin: { name: `${twin.name} (Go)`, patch: twin.patch },
});
export const blocked = (rule: string): Catch => ({ how: 'blocked', by: 'suppressions', rule });
/** The tests, edited. */
export const tests = (...pairs: readonly (readonly [string, string])[]): Patch => ({
  'clock_test.go': edit(TEST, ...pairs),
});
export const main = (body: string): Patch => ({
  'main_test.go': `package clock\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n${body}}\n`,
});
