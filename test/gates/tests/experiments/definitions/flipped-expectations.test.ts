import { describe, expect, it } from 'vitest';
import { gatherEvidenceOn } from '../../../../support/gather-evidence.ts';
import { createTestRepository } from '../../../../support/git-repository.ts';
import { listMissingPrograms } from '../../../../support/test-tools.ts';

const NO_PYTEST = listMissingPrograms([{ needs: 'pytest' }]).length > 0;

const config = (command: string): string =>
  `version: 1\nquality_gates:\n  lint: false\n  tests: true\n  test_command: ${command}\n  perturbed_environment: false\n  mutants: { enabled: false }\n`;
const code = (answer: string): string =>
  `def is_finite(name):\n    if name in ("i", "n"):\n        return ${answer}\n    return True\n`;
const tests = (answer: string): string =>
  `from shop.finite import is_finite\n\n\ndef test_neg():\n    i = "i"\n    assert is_finite(i) is ${answer}\n    assert is_finite("n") is ${answer}\n    assert is_finite("z") is True\n\n\ndef test_other():\n    assert is_finite("y")\n`;

describe('expectations that a patch flips in a test that exists', () => {
  it.skipIf(NO_PYTEST).each([
    ['named tests', 'python3 -m pytest -q'],
    ['exit codes only', '"python3 -m pytest -q; exit $?"'],
  ])('are told, with %s', async (_, command) => {
    const repository = createTestRepository({
      'assay.yaml': config(command),
      'shop/__init__.py': '',
      'shop/finite.py': code('None'),
      'shop/tests/test_finite.py': tests('None'),
      'shop/tests/__init__.py': '',
    });
    repository.write({ 'shop/finite.py': code('False'), 'shop/tests/test_finite.py': tests('False') });
    const evidence = await gatherEvidenceOn(repository, []);
    const gate = evidence.gates.find(({ name }) => name === 'tests');
    expect(gate?.findings.map(({ rule }) => rule)).toContain('run_expectation_changed');
  });
});
