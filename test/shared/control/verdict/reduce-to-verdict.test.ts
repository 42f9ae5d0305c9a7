import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CHECK_OUTCOMES,
  type CheckOutcome,
  EVIDENCE_KINDS,
  type EvidenceKind,
} from '../../../../shared/contract/check-outcome.ts';
import type { Evidence, GateEvidence, SignalEvidence } from '../../../../shared/contract/evidence/schema.ts';
import { deriveVerdictFromEvidence } from '../../../../shared/control/verdict/reduce-to-verdict.ts';

const signal = (outcome: CheckOutcome, kind: EvidenceKind = 'executed'): SignalEvidence => ({
  type: 'test_passes',
  signal: { type: 'test_passes', command: 'npm test', timeout_s: 1 },
  outcome,
  kind,
  detail: 'why',
  duration_ms: 1,
});
const gate = (
  outcome: CheckOutcome,
  required = true,
  name = 'lint',
  kind: EvidenceKind = 'executed',
): GateEvidence => ({
  name,
  outcome,
  kind,
  required,
  blocked: required && outcome === 'failed',
  cached: false,
  findings: [],
  detail: 'why',
  duration_ms: 1,
  facts: {},
});
const evidence = (parts: Partial<Evidence> = {}): Evidence => ({
  schema_version: 1,
  base_commit: 'b',
  tree: 't',
  empty_patch: false,
  changed_files: ['a'],
  signals: [],
  gates: [],
  expected_changes: [],
  protected_files: [],
  gathered_at: '2026-01-01T00:00:00Z',
  duration_ms: 1,
  ...parts,
});

describe('the verdict', () => {
  test.each<[string, Partial<Evidence>, 'pass' | 'fail' | 'refer', boolean, string[]]>([
    ['passes when all pass', { signals: [signal('passed')], gates: [gate('passed')] }, 'pass', true, []],
    ['fails with a failed signal', { signals: [signal('failed')] }, 'fail', true, ['signal_failed']],
    [
      'passes unverified when the author of the work named what passes',
      { signals: [{ ...signal('passed'), by_author: true }] },
      'pass',
      false,
      ['no_evidence'],
    ],
    [
      'fails when what its author named fails',
      { signals: [{ ...signal('failed'), by_author: true }], gates: [gate('passed')] },
      'fail',
      true,
      ['signal_failed'],
    ],
    ['fails with a failed required gate', { gates: [gate('failed')] }, 'fail', true, ['gate_failed']],
    [
      'passes, and says that no test shows the change',
      {
        gates: [
          {
            ...gate('passed', true, 'tests'),
            facts: { change_demonstrated: 'no', change_demonstration: 'advise' },
          },
        ],
      },
      'pass',
      true,
      ['advice_change_not_demonstrated'],
    ],
    [
      'passes, and names packages that depend on the change and were not tested',
      {
        gates: [
          {
            ...gate('passed', true, 'tests'),
            facts: { untested_dependents: 1, untested_dependents_named: 'packages/a' },
          },
        ],
      },
      'pass',
      true,
      ['advice_dependents_not_tested'],
    ],
    [
      'refers a change that no test shows, where the repository says so',
      {
        gates: [
          {
            ...gate('passed', true, 'tests'),
            facts: { change_demonstrated: 'no', change_demonstration: 'refer' },
          },
        ],
      },
      'refer',
      true,
      ['change_not_demonstrated'],
    ],
    [
      'names what failed before a fault of ours',
      { signals: [signal('failed')], gates: [gate('infra_failed')] },
      'fail',
      true,
      ['signal_failed', 'gate_infra_failed'],
    ],
    ['passes with a failed optional gate', { gates: [gate('failed', false)] }, 'pass', true, []],
    [
      'refers a signal that could not run',
      { signals: [signal('could_not_run')] },
      'refer',
      false,
      ['signal_could_not_run', 'no_evidence'],
    ],
    [
      'refers a required gate that timed out',
      { gates: [gate('timed_out')] },
      'refer',
      false,
      ['gate_timed_out', 'no_evidence'],
    ],
    [
      'refers a required gate that the machine broke',
      { gates: [gate('infra_failed')] },
      'refer',
      false,
      ['gate_infra_failed', 'no_evidence'],
    ],
    [
      'ignores an optional gate that could not run',
      { signals: [signal('passed')], gates: [gate('could_not_run', false)] },
      'pass',
      true,
      [],
    ],
    [
      'failed outweighs could_not_run; both are reported',
      { signals: [signal('could_not_run'), signal('failed')] },
      'fail',
      true,
      ['signal_failed', 'signal_could_not_run'],
    ],
    ['passes unverified when nothing looked', {}, 'pass', false, ['no_evidence']],
    ['passes unverified when all was skipped', { gates: [gate('skipped')] }, 'pass', false, ['no_evidence']],
    ['a bypassed gate verifies nothing', { gates: [gate('bypassed')] }, 'pass', false, ['no_evidence']],
    ['an empty patch with nothing to show fails', { empty_patch: true }, 'fail', false, ['empty_patch']],
    [
      'an empty patch whose signal passes has passed',
      { empty_patch: true, signals: [signal('passed')] },
      'pass',
      true,
      [],
    ],
    [
      "the agent's word verifies nothing",
      { signals: [signal('passed', 'claimed')] },
      'pass',
      false,
      ['no_evidence'],
    ],
    [
      "a model's opinion verifies nothing",
      { gates: [gate('passed', true, 'judge', 'judged')] },
      'pass',
      false,
      ['no_evidence'],
    ],
  ])('%s', (_, parts, verdict, verified, codes) => {
    const result = deriveVerdictFromEvidence(evidence(parts));
    expect({ ...result, reasons: result.reasons.map(({ code }) => code) }).toMatchObject({
      verdict,
      verified,
      reasons: codes,
      base_commit: 'b',
      tree: 't',
    });
  });

  test('says which of the three kinds of evidence there is', () => {
    expect(deriveVerdictFromEvidence(evidence({ gates: [gate('passed', false, 'tests')] }))).toMatchObject({
      tests_run: true,
      quality_gates_run: true,
      completion_signals_checked: false,
    });
    expect(
      deriveVerdictFromEvidence(evidence({ signals: [signal('failed')], gates: [gate('skipped')] })),
    ).toMatchObject({
      tests_run: true,
      quality_gates_run: false,
      completion_signals_checked: true,
    });
  });

  test('names the gate or the signal in each reason', () => {
    const { reasons } = deriveVerdictFromEvidence(
      evidence({ signals: [signal('failed')], gates: [gate('failed')] }),
    );
    expect(reasons.map(({ subject }) => subject)).toEqual(['lint', 'test_passes: npm test']);
  });
});

describe('for any evidence', () => {
  const outcomes = fc.constantFrom(...CHECK_OUTCOMES);
  const kinds = fc.constantFrom(...EVIDENCE_KINDS);
  const anyEvidence = fc
    .record({
      empty_patch: fc.boolean(),
      signals: fc.array(
        fc.tuple(outcomes, kinds).map(([outcome, kind]) => signal(outcome, kind)),
        { maxLength: 4 },
      ),
      gates: fc.array(
        fc
          .tuple(outcomes, fc.boolean(), fc.constantFrom('lint', 'tests'), kinds)
          .map(([outcome, required, name, kind]) => gate(outcome, required, name, kind)),
        { maxLength: 4 },
      ),
    })
    .map(evidence);
  const checks = (of: Evidence): { outcome: CheckOutcome }[] => [
    ...of.signals,
    ...of.gates.filter((each) => each.required),
  ];
  const RANK = { pass: 2, refer: 1, fail: 0 };

  test('a failed required check never passes, and one that could not run never passes', () => {
    fc.assert(
      fc.property(anyEvidence, (of) => {
        const { verdict } = deriveVerdictFromEvidence(of);
        const outcomes = checks(of).map(({ outcome }) => outcome);
        if (outcomes.includes('failed')) expect(verdict).toBe('fail');
        if (outcomes.some((outcome) => ['could_not_run', 'timed_out', 'infra_failed'].includes(outcome)))
          expect(verdict).not.toBe('pass');
      }),
    );
  });

  test('a verdict is verified only by a result of ours', () => {
    fc.assert(
      fc.property(anyEvidence, (of) => {
        const ours = [...of.signals, ...of.gates].filter(
          ({ kind, outcome }) =>
            (kind === 'executed' || kind === 'checked') && (outcome === 'passed' || outcome === 'failed'),
        );
        expect(deriveVerdictFromEvidence(of).verified).toBe(ours.length > 0);
      }),
    );
  });

  test('turning any outcome into failed never improves the verdict', () => {
    fc.assert(
      fc.property(anyEvidence, fc.nat(), (of, at) => {
        const before = RANK[deriveVerdictFromEvidence(of).verdict];
        const worse = evidence({
          ...of,
          signals: of.signals.map((each, index) =>
            index === at % 8 ? { ...each, outcome: 'failed' } : each,
          ),
          gates: of.gates.map((each, index) =>
            index + of.signals.length === at % 8
              ? { ...each, outcome: 'failed', blocked: each.required }
              : each,
          ),
        });
        expect(RANK[deriveVerdictFromEvidence(worse).verdict]).toBeLessThanOrEqual(before);
      }),
    );
  });

  test('the order of the checks changes nothing', () => {
    fc.assert(
      fc.property(anyEvidence, (of) => {
        const turned = { ...of, signals: [...of.signals].reverse(), gates: [...of.gates].reverse() };
        expect(deriveVerdictFromEvidence(turned)).toEqual(deriveVerdictFromEvidence(of));
      }),
    );
  });
});
