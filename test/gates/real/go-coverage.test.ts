import { beforeEach, describe, expect, test } from 'vitest';
import { coverageDeltaGate as gate } from '../../../gates/gates/coverage-delta.ts';
import { runGate } from '../../support/patch-fixture.ts';
import { listMissingPrograms, warmToolchains } from '../../support/test-tools.ts';

const BASE = {
  'go.mod': 'module example.org/a\n\ngo 1.20\n',
  'a.go': 'package a\n\nfunc F() int { return 1 }\n',
  'a_test.go': 'package a\n\nimport "testing"\n\nfunc TestF(t *testing.T) { F() }\n',
};

/** Go compiles its own library anew for coverage: a quarter of a minute, where nothing is kept. */
describe('the gate of coverage', () => {
  beforeEach(warmToolchains);

  test.skipIf(listMissingPrograms([{ needs: 'go' }]).length > 0)(
    'measures Go with its own tool',
    async () => {
      const result = await runGate(gate, BASE, { 'a.go': `${BASE['a.go']}\nfunc G() int { return 2 }\n` });
      expect(result).toMatchObject({
        outcome: 'failed',
        facts: { tool: 'go', coverage: 50, coverage_base: 100 },
      });
    },
  );
});
