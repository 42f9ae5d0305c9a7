import * as z from 'zod';
import { isRegularFile } from '../../workspace/git/list-files.ts';
import type { Gate, GateContext, GateResult } from '../core/gate.ts';
import { buildGateResult, type GateFinding } from '../core/gate-finding.ts';
import { findToolVersion, missingToolMessage } from '../tests/running/tool-version.ts';
import { findUnformattedFiles } from './auto-format/find-unformatted.ts';
import { type Formatter, selectFormatters } from './auto-format/formatters.ts';

/** Says which changed files the project's formatter would write differently. It never fails and changes nothing. */
export const autoFormatGate: Gate = {
  name: 'auto_format',
  configKey: 'auto_format',
  enabledByDefault: false,
  required: false,
  condition: 'any_changed',
  isFormatter: true,
  settings: { auto_format: z.boolean().optional() },
  run: async (context) => {
    const changed = context.subject.changes.flatMap(({ path, headEntry }) =>
      headEntry && isRegularFile(headEntry) ? [path] : [],
    );
    const chosen = await selectFormatters(context.subject, changed);
    if (chosen.length === 0)
      return {
        outcome: 'skipped',
        kind: 'checked',
        findings: [],
        detail: 'no changed file has a formatter',
      };
    const looked = [];
    const left = context.subject.sandboxes.startTimeLimit(context.timeoutMs);
    for (const { formatter, files } of chosen) {
      const timeoutMs = left();
      looked.push(await look({ ...context, timeoutMs }, formatter, files));
    }
    return combined(looked);
  },
};

interface FormatterResult {
  readonly formatter: Formatter;
  readonly version: string | null;
  readonly seen: readonly GateFinding[];
  /** Why nobody knows. */
  readonly problem: string | null;
}

async function look(
  { subject, timeoutMs }: GateContext,
  formatter: Formatter,
  files: readonly string[],
): Promise<FormatterResult> {
  const version = await findToolVersion(subject.sandboxes, subject.base, formatter);
  if (version === null) return { formatter, version, seen: [], problem: missingToolMessage(formatter) };
  const { changed, problem } = await findUnformattedFiles(subject, formatter, { files, timeoutMs });
  const seen = changed.map(
    (file): GateFinding => ({
      file,
      line: null,
      rule: 'not_formatted',
      message: `${formatter.name} would write it differently`,
      severity: 'info',
    }),
  );
  return { formatter, version, seen, problem: problem === null ? null : `${formatter.name}: ${problem}` };
}

function combined(looked: readonly FormatterResult[]): GateResult {
  const problems = looked.flatMap(({ problem }) => problem ?? []);
  const result = buildGateResult(
    looked.flatMap(({ seen }) => seen),
    'looked at by the formatters',
    {
      tool: looked.map(({ formatter }) => formatter.name).join(', '),
      tool_version: looked.map(({ version }) => version ?? 'none').join(', '),
    },
  );
  const detail = [result.detail, ...problems].join('; ').slice(0, 4_000);
  return {
    ...result,
    kind: 'executed',
    outcome: problems.length > 0 ? 'could_not_run' : result.outcome,
    detail,
  };
}
