import * as z from 'zod';
import type { Gate } from '../core/gate.ts';
import { Command } from '../tests/gate-runs/command.ts';
import { PROFILE_SETTINGS, profilesOf } from '../tests/running/settings.ts';

/** The share of covered lines may not fall. */
export const coverageDelta: Gate = {
  name: 'coverage_delta',
  flag: 'coverage_delta',
  on: false,
  required: true,
  condition: 'code_changed',
  timeoutS: 600,
  settings: {
    coverage_delta: z.boolean().optional(),
    coverage_delta_command: Command.optional(),
    ...PROFILE_SETTINGS,
  },
  plan: async (project, settings) => {
    const command = Command.safeParse(settings['coverage_delta_command']).data;
    if (command !== undefined) return [{ command }];
    const { COVERAGE, planSuites } = await import('../tests/measure/suites.ts');
    return planSuites(project, COVERAGE, profilesOf(settings));
  },
  run: async (context, settings) => {
    const [{ measureBoth }, { COVERAGE }, coverage] = await Promise.all([
      import('../tests/measure/both.ts'),
      import('../tests/measure/suites.ts'),
      import('../tests/measure/coverage.ts'),
    ]);
    const command = context.command ?? Command.safeParse(settings['coverage_delta_command']).data;
    return measureBoth(context, settings, {
      command,
      suites: COVERAGE,
      read: coverage.coverageOf,
      judge: ({ base, current, metadata }) => {
        const delta = coverage.coverageDelta(base, current);
        return {
          outcome: delta < 0 ? 'failed' : 'passed',
          kind: 'executed_by_us',
          findings: [],
          detail: `coverage ${current.toFixed(2)} %, in the base ${base.toFixed(2)} %: ${delta.toFixed(2)} points`,
          metadata: { ...metadata, coverage: current, coverage_base: base, delta },
        };
      },
    });
  },
};
