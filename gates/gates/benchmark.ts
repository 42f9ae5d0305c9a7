import * as z from 'zod';
import { COMPARING_GATE_TIME_LIMIT_COUNT } from '../core/experiment-settings.ts';
import type { Gate } from '../core/gate.ts';
import { CommandLineSetting } from '../tests/gate-runs/command-gate.ts';

const Benchmark = z.strictObject({
  enabled: z.boolean().optional(),
  /** Share by which a number may get worse; the seed's default. */
  threshold: z.number().min(0).max(100).default(0.1),
  command: CommandLineSetting.optional(),
});

/** The project's benchmarks may not get worse. */
export const benchmarkGate: Gate = {
  name: 'benchmark',
  configKey: 'benchmark.enabled',
  enabledByDefault: false,
  timeLimitCount: COMPARING_GATE_TIME_LIMIT_COUNT,
  required: true,
  condition: 'always',
  timeoutS: 600,
  settings: { benchmark: Benchmark.optional() },
  plan: async (project, settings) => {
    const { command } = Benchmark.prefault({}).parse(settings['benchmark']);
    if (command !== undefined) return [{ command }];
    const { BENCHMARK_SUITES, listMeasurementCommands } = await import(
      '../tests/measure/measurement-suites.ts'
    );
    return listMeasurementCommands(project, BENCHMARK_SUITES);
  },
  run: async (context, settings) => {
    const [{ compareMeasurements }, { BENCHMARK_SUITES }, { parseBenchmarks, findBenchmarkRegressions }] =
      await Promise.all([
        import('../tests/measure/compare-measurements.ts'),
        import('../tests/measure/measurement-suites.ts'),
        import('../tests/measure/parse-benchmarks.ts'),
      ]);
    const { threshold, command } = Benchmark.prefault({}).parse(settings['benchmark']);
    return compareMeasurements(context, {
      command: context.command ?? command,
      suites: BENCHMARK_SUITES,
      read: parseBenchmarks,
      judge: ({ base, current, facts }) => {
        const worse = findBenchmarkRegressions(base, current, threshold);
        const gone = [...base.keys()].filter((name) => !current.has(name));
        const compared = [...current.keys()].filter((name) => base.has(name)).length;
        return {
          outcome: worse.length > 0 ? 'failed' : compared === 0 ? 'could_not_run' : 'passed',
          kind: 'executed',
          findings: [
            ...worse.map(({ name, metric, base: before, current: now, share }) => ({
              file: null,
              line: null,
              rule: `benchmark_${metric}`,
              message: `${name}: ${metric} ${before} became ${now}, ${(share * 100).toFixed(1)} % worse`,
            })),
            ...gone.map((name) => ({
              file: null,
              line: null,
              rule: 'benchmark_gone',
              message: `${name}: ran on the base, and no longer runs`,
            })),
          ],
          detail: `${compared} benchmarks compared, ${worse.length} numbers more than ${threshold * 100} % worse, ${gone.length} benchmarks gone`,
          facts: {
            ...facts,
            benchmarks: compared,
            regressions: worse.length,
            benchmarks_gone: gone.length,
          },
        };
      },
    });
  },
};
