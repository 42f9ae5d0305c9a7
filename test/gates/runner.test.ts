import { describe, expect, test, vi } from 'vitest';
import type { Gate, GateResult } from '../../gates/core/gate.ts';
import { parseAssayConfig } from '../../gates/pipeline/configuration/parse-config.ts';
import { type GatePipelineStep, resolveGatePipeline } from '../../gates/pipeline/gate-pipeline.ts';
import { createGateJobs } from '../../gates/pipeline/gate-runner.ts';
import { runGateJobs } from '../../gates/pipeline/schedule-gate-jobs.ts';
import { createSubject } from '../support/patch-fixture.ts';

const PASSED: GateResult = { outcome: 'passed', kind: 'checked', findings: [], detail: '' };

const step = (name: string, run: Gate['run'], more: Partial<Gate> = {}): GatePipelineStep => ({
  gate: {
    name,
    configKey: name,
    enabledByDefault: true,
    required: true,
    condition: 'always',
    settings: {},
    run,
    ...more,
  },
  required: true,
  condition: 'always',
  command: null,
  explicitlyEnabled: true,
  timeoutMs: 60_000,
});

const runSteps = async (steps: readonly GatePipelineStep[], limit = 4) => {
  const subject = await createSubject({ 'a.js': '1\n' }, { 'a.js': '2\n' });
  return runGateJobs(await createGateJobs(steps, { subject, settings: {}, bypasses: [] }), [], limit);
};

describe('gates', () => {
  test('begin with the formatters, one after the other; the rest run side by side, and the order of results is that of the pipeline', async () => {
    const events: string[] = [];
    const both = Promise.withResolvers<void>();
    const noted =
      (name: string): Gate['run'] =>
      async () => {
        events.push(`${name} begins`);
        await Promise.resolve();
        events.push(`${name} ends`);
        return PASSED;
      };
    const results = await runSteps([
      // Each of these two can only end when the other has begun.
      step('one', async () => {
        events.push('one begins');
        await both.promise;
        return PASSED;
      }),
      step('format', noted('format'), { isFormatter: true }),
      step('two', async () => {
        both.resolve();
        return PASSED;
      }),
      step('format_more', noted('format_more'), { isFormatter: true }),
    ]);
    expect(events).toEqual([
      'format begins',
      'format ends',
      'format_more begins',
      'format_more ends',
      'one begins',
    ]);
    expect(results.map(({ name }) => name)).toEqual(['one', 'format', 'two', 'format_more']);
  });

  test('run no more at once than they may', async () => {
    let running = 0;
    let most = 0;
    const run: Gate['run'] = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return PASSED;
    };
    await runSteps(
      ['a', 'b', 'c', 'd', 'e'].map((name) => step(name, run)),
      2,
    );
    expect(most).toBe(2);
  });

  test('that break are not the fault of the patch, and leave the others alone', async () => {
    const results = await runSteps([
      step('broken', async () => Promise.reject(new Error('boom'))),
      step('fine', async () => PASSED),
    ]);
    expect(results.map(({ outcome, detail }) => `${outcome} ${detail}`)).toEqual([
      'infra_failed the gate itself broke: boom',
      'passed ',
    ]);
  });

  test('that never end are given up', async () => {
    const subject = await createSubject({}, { 'a.js': '' });
    const never = step('never', () => new Promise(() => {}));
    const [job] = await createGateJobs([{ ...never, timeoutMs: 1_000 }], {
      subject,
      settings: {},
      bypasses: [],
    });
    vi.useFakeTimers();
    try {
      const ended = job?.run();
      await vi.advanceTimersByTimeAsync(6_000);
      expect(await ended).toMatchObject({ outcome: 'timed_out', blocked: false });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('the time limit of a gate', () => {
  const limits = (text: string) =>
    resolveGatePipeline(parseAssayConfig(text).gates).map(({ timeoutMs }) => timeoutMs);

  test.each([
    ['is the one for all', 'quality_gates: { timeout_s: 7, pipeline: [{ name: lint }] }', 7_000],
    [
      'is the one of its step when that has one',
      'quality_gates: { timeout_s: 7, pipeline: [{ name: lint, timeout_s: 9 }] }',
      9_000,
    ],
    ['is 120 s when nothing is said', 'quality_gates: { pipeline: [{ name: lint }] }', 120_000],
  ])('%s', (_, text, ms) => {
    expect(limits(text)).toEqual([ms]);
  });
});
