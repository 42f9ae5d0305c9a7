import * as z from 'zod';
import { basePath, type Change, type Entry } from '../../workspace/git/changes.ts';
import { isRegular } from '../../workspace/git/list.ts';
import type { Gate, GateContext, GateResult } from '../core/gate.ts';
import { isOwnCode } from '../core/language.ts';
import { asks, type Program } from '../languages/tool.ts';
import { Command } from '../tests/gate-runs/command.ts';
import { complexityOf, growth } from '../tests/measure/complexity.ts';
import { type Measured, measure, printing, unmeasured } from '../tests/measure/measure.ts';
import { toolVersion } from '../tests/running/tool-version.ts';

interface Counter extends Program {
  readonly line: string;
}
const RADON: Counter = {
  name: 'radon',
  version: asks('radon'),
  get: 'pip install radon',
  line: 'radon cc --json -- "$@" > "$REPORT"',
};
const LIZARD: Counter = {
  name: 'lizard',
  version: asks('lizard'),
  get: 'pip install lizard',
  line: 'lizard --csv "$@" > "$REPORT"',
};

const Threshold = z.number().min(0).max(100);
/** Share by which the average may grow; the seed's default. */
const THRESHOLD = 0.2;

/** The average complexity of the changed files, now and in the base. */
export const complexityCheck: Gate = {
  name: 'complexity_check',
  flag: 'complexity_check',
  on: false,
  required: true,
  condition: 'code_changed',
  settings: {
    complexity_check: z.boolean().optional(),
    complexity_command: Command.optional(),
    complexity_threshold: Threshold.optional(),
  },
  plan: async (project, settings) => {
    const command = Command.safeParse(settings['complexity_command']).data;
    if (command !== undefined) return [{ command }];
    const [{ line, get }, ...others] = countersFor(project.changedPaths.filter(isOwnCode));
    return [{ command: line, get, instead: others.map((other) => other.line), elseOurs: true }];
  },
  run: async (context, settings) => {
    const now = context.subject.changes.flatMap((change) => codeAt(change.path, change.head));
    const before = context.subject.changes.flatMap((change) => codeAt(basePath(change), baseOf(change)));
    if (now.length === 0)
      return {
        outcome: 'skipped',
        kind: 'checked_by_us',
        findings: [],
        detail: 'no code file is left to measure',
      };
    const own = context.command ?? Command.safeParse(settings['complexity_command']).data;
    const threshold = Threshold.safeParse(settings['complexity_threshold']).data ?? THRESHOLD;
    if (own !== undefined) {
      const line = printing(/\$[@*]/.test(own) ? own : `${own} "$@"`);
      return compare(context, { now, before, threshold, line, metadata: { command: own } });
    }
    const found = await counterFor(context, now);
    if (found === null) {
      const { countedByUs } = await import('../tests/measure/own-complexity.ts');
      return countedByUs(context, (base, current) => ({
        ...judged(base, current, threshold, { tool: 'assay' }),
        kind: 'checked_by_us',
      }));
    }
    const { tool, version } = found;
    const { line } = tool;
    const metadata = { tool: tool.name, tool_version: version, command: line };
    return compare(context, { now, before, threshold, line, metadata });
  },
};

const codeAt = (path: string | null, entry: Entry | null): string[] =>
  path !== null && entry && isRegular(entry) && isOwnCode(path) ? [path] : [];
const baseOf = ({ base }: Change): Entry | null => base;

/** radon for Python alone, else lizard, which knows all four languages. */
const countersFor = (files: readonly string[]): readonly [Counter, ...Counter[]] =>
  files.every((file) => /\.pyi?$/.test(file)) ? [RADON, LIZARD] : [LIZARD];

/** Null: none is here, and we count ourselves. */
async function counterFor(
  { subject }: GateContext,
  files: readonly string[],
): Promise<{ readonly tool: Counter; readonly version: string } | null> {
  for (const tool of countersFor(files)) {
    const version = await toolVersion(subject.rooms, subject.base, tool);
    if (version !== null) return { tool, version };
  }
  return null;
}

interface Comparison {
  readonly now: readonly string[];
  readonly before: readonly string[];
  readonly threshold: number;
  readonly line: string;
  readonly metadata: NonNullable<GateResult['metadata']>;
}

async function compare(
  { subject, timeoutMs }: GateContext,
  { now, before, threshold, line, metadata }: Comparison,
): Promise<GateResult> {
  const { rooms } = subject;
  const left = rooms.within(timeoutMs);
  const head = await measure(subject.tree, { rooms, line, files: now, timeoutMs });
  const current = read(head);
  if (current === null) return unmeasured(head, metadata);
  if (current.unreadable.length > 0)
    return {
      outcome: 'failed',
      kind: 'executed_by_us',
      findings: current.unreadable.map((file) => ({
        file: file.replace(/^\.\//, ''),
        line: null,
        rule: 'not_measured',
        message: 'cannot be parsed, so nobody can tell how complex it is',
      })),
      detail: `${current.unreadable.length} changed files cannot be parsed`,
      metadata,
    };
  const base =
    before.length === 0
      ? null
      : await measure(subject.base, {
          rooms,
          line,
          files: before,
          timeoutMs: left(),
        });
  const baseline = base === null ? { average: 0 } : read(base);
  if (baseline === null)
    return unmeasured(
      { outcome: 'inert', detail: `the base could not be measured: ${base?.detail}` },
      metadata,
    );
  return judged(baseline.average, current.average, threshold, metadata);
}

function judged(
  base: number,
  current: number,
  threshold: number,
  metadata: NonNullable<GateResult['metadata']>,
): GateResult {
  const ratio = growth(base, current);
  const failed = ratio > threshold;
  return {
    outcome: failed ? 'failed' : 'passed',
    kind: 'executed_by_us',
    findings: [],
    detail: `average complexity ${current.toFixed(2)}, in the base ${base.toFixed(2)}: ${(ratio * 100).toFixed(1)} % more, at most ${threshold * 100} % allowed`,
    metadata: { ...metadata, complexity: current, complexity_base: base, ratio },
  };
}

function read({ text, outcome }: Measured): ReturnType<typeof complexityOf> | null {
  if (text === null || outcome !== 'passed') return null;
  try {
    return complexityOf(text);
  } catch {
    return null;
  }
}
