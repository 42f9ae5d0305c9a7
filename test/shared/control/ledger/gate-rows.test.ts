import { describe, expect, test } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../../shared/contract/agents/tiers.ts';
import type { GateEvidence } from '../../../../shared/contract/evidence/schema.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { deriveRecordRows } from '../../../../shared/control/ledger/derive-rows.ts';
import { GateRow } from '../../../../shared/control/ledger/record-rows.ts';
import { recordEvidence } from '../../../../shared/control/task-commands/record-verification.ts';
import { evidence, FIXED_NOW, gate, taskInReview } from '../../../support/builders.ts';

const rowsOf = (before: Task, after: Task) =>
  deriveRecordRows(before, after, DEFAULT_TIER_MODELS).flatMap((derived) =>
    derived.table === 'quality_gates' ? [derived.row as GateRow & Record<string, unknown>] : [],
  );
const recorded = (fields: Partial<GateEvidence>): Task =>
  recordEvidence(taskInReview(), 1, evidence({ gates: [gate(fields)] }), 'key', FIXED_NOW)?.task ??
  taskInReview();
const rowOf = (fields: Partial<GateEvidence>) => rowsOf(taskInReview(), recorded(fields))[0];

describe('the row of a gate', () => {
  test('names the tool with its version, and has the other facts in a map', () => {
    const row = rowOf({
      facts: { tool: 'ruff', tool_version: '0.14.2', exit_code: 1, coverage: 81.5, stale: false },
    });
    expect(row).toMatchObject({
      gate: 'tests',
      tool: 'ruff',
      tool_version: '0.14.2',
      facts: { exit_code: '1', coverage: '81.5', stale: 'false' },
    });
    expect(GateRow.parse(row)).toMatchObject({ tool: 'ruff', outcome: 'passed' });
  });

  test('keeps its own fields, whatever a fact is called', () => {
    const row = rowOf({
      outcome: 'failed',
      facts: { outcome: 'passed', result: 'pass', task_id: 'other', record_id: 'x', tree: 'x' },
    });
    expect(row).toMatchObject({ outcome: 'failed', task_id: 'T1', record_id: 'T1#1#tests' });
    expect(row?.tree).not.toBe('x');
  });

  test('has no key twice for a reader that takes no notice of capitals', () => {
    const row = rowOf({ facts: { Outcome: 'passed', RECORD_ID: 'x', Coverage: 1, coverage: 2 } }) ?? {};
    const keys = Object.keys(row).map((key) => key.toLowerCase());
    expect(new Set(keys).size).toBe(keys.length);
    expect(row).toMatchObject({ facts: { outcome: 'passed', record_id: 'x', coverage: '1' } });
  });

  test('says who did without a gate, why, for which task and until when', () => {
    const metadata = { actor: 'ada', reason: 'broken', bypassed_task: 'T1', until: '2026-12-01' };
    expect(rowOf({ outcome: 'bypassed', facts: metadata })).toMatchObject({
      result: 'flagged',
      status: 'bypassed',
      facts: metadata,
    });
  });

  test('has as many facts as there is room for, the ones that people ask for first', () => {
    const metadata = {
      ...Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`fact_${index}`, 'x'.repeat(10_000)])),
      tool: 'ruff',
    };
    const kept = recorded({ facts: metadata }).attempts[0]?.verification?.gates[0]?.facts ?? {};
    expect(JSON.stringify(kept).length).toBeLessThan(1_200);
    expect(kept).toMatchObject({ tool: 'ruff', fact_0: 'x'.repeat(200) });
  });
});
