import * as z from 'zod';
import { COMPARING_GATE_TIME_LIMIT_COUNT } from '../core/experiment-settings.ts';
import type { Gate } from '../core/gate.ts';
import { CommandLineSetting } from '../tests/gate-runs/command-gate.ts';

/** The share of covered lines may not fall. */
export const coverageDeltaGate: Gate = {
  name: 'coverage_delta',
  configKey: 'coverage_delta',
  enabledByDefault: false,
  timeLimitCount: COMPARING_GATE_TIME_LIMIT_COUNT,
  required: true,
  condition: 'code_changed',
  timeoutS: 600,
  settings: {
    coverage_delta: z.boolean().optional(),
    coverage_delta_command: CommandLineSetting.optional(),
  },
  plan: async (project, settings) => {
    const command = CommandLineSetting.safeParse(settings['coverage_delta_command']).data;
    if (command !== undefined) return [{ command }];
    const { COVERAGE_SUITES, listMeasurementCommands } = await import(
      '../tests/measure/measurement-suites.ts'
    );
    return listMeasurementCommands(project, COVERAGE_SUITES);
  },
  run: async (context, settings) => {
    const [{ compareMeasurements }, { COVERAGE_SUITES }, coverage] = await Promise.all([
      import('../tests/measure/compare-measurements.ts'),
      import('../tests/measure/measurement-suites.ts'),
      import('../tests/measure/parse-coverage.ts'),
    ]);
    const command = context.command ?? CommandLineSetting.safeParse(settings['coverage_delta_command']).data;
    return compareMeasurements(context, {
      command,
      suites: COVERAGE_SUITES,
      read: coverage.parseCoverage,
      judge: ({ base, current, facts }) => {
        const delta = coverage.computeCoverageDelta(base, current);
        return {
          outcome: delta < 0 ? 'failed' : 'passed',
          kind: 'executed',
          findings: [],
          detail: `coverage ${current.toFixed(2)} %, in the base ${base.toFixed(2)} %: ${delta.toFixed(2)} points`,
          facts: { ...facts, coverage: current, coverage_base: base, delta },
        };
      },
    });
  },
};
