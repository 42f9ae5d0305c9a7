import * as z from 'zod';
import { type FileChange, type GitTreeEntry, getPathInBase } from '../../workspace/git/file-changes.ts';
import { isRegularFile } from '../../workspace/git/list-files.ts';
import { COMPARING_GATE_TIME_LIMIT_COUNT } from '../core/experiment-settings.ts';
import type { Gate, GateContext, GateResult } from '../core/gate.ts';
import { isProjectCodePath } from '../core/language.ts';
import { buildVersionCommand, type ToolProgram } from '../languages/language-tool.ts';
import { CommandLineSetting } from '../tests/gate-runs/command-gate.ts';
import { computeRelativeGrowth, parseComplexity } from '../tests/measure/parse-complexity.ts';
import {
  buildWriteOutputToReportLine,
  createFailedMeasurementResult,
  type MeasurementRun,
  runMeasurement,
} from '../tests/measure/run-measurement.ts';
import { findToolVersion } from '../tests/running/tool-version.ts';

interface ComplexityTool extends ToolProgram {
  readonly line: string;
}
const RADON: ComplexityTool = {
  name: 'radon',
  versionLine: buildVersionCommand('radon'),
  installHint: 'pip install radon',
  line: 'radon cc --json -- "$@" > "$REPORT"',
};
const LIZARD: ComplexityTool = {
  name: 'lizard',
  versionLine: buildVersionCommand('lizard'),
  installHint: 'pip install lizard',
  line: 'lizard --csv "$@" > "$REPORT"',
};

const Threshold = z.number().min(0).max(100);
/** Share by which the average may grow; the seed's default. */
const THRESHOLD = 0.2;

/** The average complexity of the changed files, now and in the base. */
export const complexityCheckGate: Gate = {
  name: 'complexity_check',
  configKey: 'complexity_check',
  enabledByDefault: false,
  timeLimitCount: COMPARING_GATE_TIME_LIMIT_COUNT,
  required: true,
  condition: 'code_changed',
  settings: {
    complexity_check: z.boolean().optional(),
    complexity_command: CommandLineSetting.optional(),
    complexity_threshold: Threshold.optional(),
  },
  plan: async (project, settings) => {
    const command = CommandLineSetting.safeParse(settings['complexity_command']).data;
    if (command !== undefined) return [{ command }];
    const [{ line, installHint }, ...others] = countersFor(project.changedPaths.filter(isProjectCodePath));
    return [
      {
        command: line,
        installHint,
        alternatives: others.map((other) => other.line),
        hasBuiltInFallback: true,
      },
    ];
  },
  run: async (context, settings) => {
    const now = context.subject.changes.flatMap((change) => codeAt(change.path, change.headEntry));
    const before = context.subject.changes.flatMap((change) => codeAt(getPathInBase(change), baseOf(change)));
    if (now.length === 0)
      return {
        outcome: 'skipped',
        kind: 'checked',
        findings: [],
        detail: 'no code file is left to measure',
      };
    const own = context.command ?? CommandLineSetting.safeParse(settings['complexity_command']).data;
    const threshold = Threshold.safeParse(settings['complexity_threshold']).data ?? THRESHOLD;
    if (own !== undefined) {
      const line = buildWriteOutputToReportLine(/\$[@*]/.test(own) ? own : `${own} "$@"`);
      return compare(context, { now, before, threshold, line, facts: { command: own } });
    }
    const found = await counterFor(context, now);
    if (found === null) {
      const { compareBuiltInComplexity } = await import('../tests/measure/built-in-complexity.ts');
      return compareBuiltInComplexity(context, (base, current) => ({
        ...judgeGrowth(base, current, threshold, { tool: 'assay' }),
        kind: 'checked',
      }));
    }
    const { tool, version } = found;
    const { line } = tool;
    const facts = { tool: tool.name, tool_version: version, command: line };
    return compare(context, { now, before, threshold, line, facts });
  },
};

const codeAt = (path: string | null, entry: GitTreeEntry | null): string[] =>
  path !== null && entry && isRegularFile(entry) && isProjectCodePath(path) ? [path] : [];
const baseOf = ({ baseEntry }: FileChange): GitTreeEntry | null => baseEntry;

/** radon for Python alone, else lizard, which knows all four languages. */
const countersFor = (files: readonly string[]): readonly [ComplexityTool, ...ComplexityTool[]] =>
  files.every((file) => /\.pyi?$/.test(file)) ? [RADON, LIZARD] : [LIZARD];

/** Null: none is here, and we count ourselves. */
async function counterFor(
  { subject }: GateContext,
  files: readonly string[],
): Promise<{ readonly tool: ComplexityTool; readonly version: string } | null> {
  for (const tool of countersFor(files)) {
    const version = await findToolVersion(subject.sandboxes, subject.base, tool);
    if (version !== null) return { tool, version };
  }
  return null;
}

interface ComplexityComparison {
  readonly now: readonly string[];
  readonly before: readonly string[];
  readonly threshold: number;
  readonly line: string;
  readonly facts: NonNullable<GateResult['facts']>;
}

async function compare(
  { subject, timeoutMs }: GateContext,
  { now, before, threshold, line, facts }: ComplexityComparison,
): Promise<GateResult> {
  const { sandboxes } = subject;
  const head = await runMeasurement(subject.tree, { sandboxes, line, files: now, timeoutMs });
  const current = parseMeasurement(head);
  if (current === null) return createFailedMeasurementResult(head, facts);
  if (current.unreadable.length > 0)
    return {
      outcome: 'failed',
      kind: 'executed',
      findings: current.unreadable.map((file) => ({
        file: file.replace(/^\.\//, ''),
        line: null,
        rule: 'not_measured',
        message: 'cannot be parsed, so nobody can tell how complex it is',
      })),
      detail: `${current.unreadable.length} changed files cannot be parsed`,
      facts,
    };
  const base =
    before.length === 0
      ? null
      : await runMeasurement(subject.base, {
          sandboxes,
          line,
          files: before,
          timeoutMs,
        });
  const baseline = base === null ? { average: 0 } : parseMeasurement(base);
  if (baseline === null)
    return createFailedMeasurementResult(
      { outcome: 'could_not_run', detail: `the base could not be measured: ${base?.detail}` },
      facts,
    );
  return judgeGrowth(baseline.average, current.average, threshold, facts);
}

function judgeGrowth(
  base: number,
  current: number,
  threshold: number,
  facts: NonNullable<GateResult['facts']>,
): GateResult {
  const ratio = computeRelativeGrowth(base, current);
  const failed = ratio > threshold;
  return {
    outcome: failed ? 'failed' : 'passed',
    kind: 'executed',
    findings: [],
    detail: `average complexity ${current.toFixed(2)}, in the base ${base.toFixed(2)}: ${(ratio * 100).toFixed(1)} % more, at most ${threshold * 100} % allowed`,
    facts: { ...facts, complexity: current, complexity_base: base, ratio },
  };
}

function parseMeasurement({
  reportText,
  outcome,
}: MeasurementRun): ReturnType<typeof parseComplexity> | null {
  if (reportText === null || outcome !== 'passed') return null;
  try {
    return parseComplexity(reportText);
  } catch {
    return null;
  }
}
