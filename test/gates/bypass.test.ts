import { describe, expect, test } from 'vitest';
import { parseAssayConfig } from '../../gates/pipeline/configuration/parse-config.ts';
import { selectActiveBypasses } from '../../gates/pipeline/gather-evidence.ts';
import { deriveVerdictFromEvidence } from '../../shared/control/verdict/reduce-to-verdict.ts';
import { gatherEvidenceOn } from '../support/gather-evidence.ts';
import { createTestRepository } from '../support/git-repository.ts';

const entry = (more: Record<string, string> = {}) => ({
  gate: 'lint',
  task: '*',
  by: 'ada',
  reason: 'known',
  until: '2026-12-01',
  ...more,
});
const config = (entries: readonly object[], allowed = true): string =>
  JSON.stringify({
    quality_gates: { allow_bypass: allowed, lint_command: 'test ! -e a.txt', bypasses: entries },
  });

describe('a bypass of the configuration', () => {
  test.each([
    ['for every task', '*', 'T1', '2026-11-30T12:00:00Z', true],
    ['for this task', 'T1', 'T1', '2026-11-30T12:00:00Z', true],
    ['for another task', 'T2', 'T1', '2026-11-30T12:00:00Z', false],
    ['for one task, when none is known', 'T1', null, '2026-11-30T12:00:00Z', false],
    ['on its last day', '*', 'T1', '2026-12-01T23:59:59Z', true],
    ['on the day after', '*', 'T1', '2026-12-02T00:00:00Z', false],
  ])('holds or not: %s', (_, task, known, now, holds) => {
    const { bypasses } = parseAssayConfig(config([entry({ task })])).gates;
    expect(selectActiveBypasses(bypasses, known, new Date(now))).toHaveLength(holds ? 1 : 0);
  });

  test('ends at the minute that it names', () => {
    const { bypasses } = parseAssayConfig(config([entry({ until: '2026-12-01T08:00:00Z' })])).gates;
    expect(selectActiveBypasses(bypasses, null, new Date('2026-12-01T07:59:59Z'))).toHaveLength(1);
    expect(selectActiveBypasses(bypasses, null, new Date('2026-12-01T08:00:00Z'))).toEqual([]);
  });

  test('is in the evidence with who, why, which task and until when, and is no pass', async () => {
    const repository = createTestRepository({
      'assay.yaml': config([entry({ task: 'T1', until: '2999-01-01' })]),
    });
    repository.write({ 'a.txt': 'x' });
    const task = { id: 'T1', title: '', description: '' };
    const evidence = await gatherEvidenceOn(repository, [], { task });
    expect(evidence.gates[0]).toMatchObject({
      name: 'lint',
      outcome: 'bypassed',
      kind: 'claimed',
      detail: 'bypassed by ada for task T1 until 2999-01-01: known',
      facts: { actor: 'ada', reason: 'known', bypassed_task: 'T1', until: '2999-01-01' },
    });
    expect(deriveVerdictFromEvidence({ ...evidence, gates: evidence.gates.slice(0, 1) })).toMatchObject({
      verified: false,
    });
    const other = await gatherEvidenceOn(repository, [], { task: { ...task, id: 'T2' } });
    expect(other.gates[0]).toMatchObject({ name: 'lint', outcome: 'failed', blocked: true });
  });

  test.each<[string, string, string]>([
    ['where none is allowed', config([entry()], false), 'quality_gates.bypasses needs allow_bypass: true'],
    ['of a gate that is not there', config([entry({ gate: 'lynt' })]), 'bypasses[0].gate is not a gate'],
    ['without an end', config([entry({ until: 'never' })]), 'bypasses[0].until must be a date'],
    ['without a reason', config([entry({ reason: ' ' })]), 'bypasses[0].reason'],
    ['by nobody', config([{ ...entry(), by: undefined }]), 'bypasses[0].by'],
  ])('is refused %s', (_, text, message) => {
    expect(() => parseAssayConfig(text)).toThrow(message);
  });
});
