import * as z from 'zod';
import { isRegular } from '../../workspace/git/list.ts';
import type { Gate, GateContext, GateResult } from '../core/gate.ts';
import { resultOf, type Seen } from '../core/seen.ts';
import { PROFILE_SETTINGS, profilesOf } from '../tests/running/settings.ts';
import { missing, toolVersion } from '../tests/running/tool-version.ts';
import { formatted } from './auto-format/formatted.ts';
import { type Formatter, formattersFor } from './auto-format/formatters.ts';

/** Says which changed files the project's formatter would write differently. It never fails and changes nothing. */
export const autoFormat: Gate = {
  name: 'auto_format',
  flag: 'auto_format',
  on: false,
  required: false,
  condition: 'any_changed',
  formatter: true,
  settings: { auto_format: z.boolean().optional(), ...PROFILE_SETTINGS },
  run: async (context, settings) => {
    const changed = context.subject.changes.flatMap(({ path, head }) =>
      head && isRegular(head) ? [path] : [],
    );
    const chosen = await formattersFor(context.subject, changed);
    if (chosen.length === 0)
      return {
        outcome: 'skipped',
        kind: 'checked_by_us',
        findings: [],
        detail: 'no changed file has a formatter',
      };
    const looked = [];
    const left = context.subject.rooms.within(context.timeoutMs);
    for (const { formatter, files } of chosen) {
      const timeoutMs = left();
      const setup = profilesOf(settings)[formatter.language]?.setup ?? null;
      looked.push(await look({ ...context, timeoutMs }, formatter, files, setup));
    }
    return combined(looked);
  },
};

interface Looked {
  readonly formatter: Formatter;
  readonly version: string | null;
  readonly seen: readonly Seen[];
  /** Why nobody knows. */
  readonly problem: string | null;
}

async function look(
  { subject, timeoutMs }: GateContext,
  formatter: Formatter,
  files: readonly string[],
  setup: string | null,
): Promise<Looked> {
  const version = await toolVersion(subject.rooms, subject.base, formatter, { setup });
  if (version === null) return { formatter, version, seen: [], problem: missing(formatter) };
  const { changed, problem } = await formatted(subject, formatter, { files, setup, timeoutMs });
  const seen = changed.map(
    (file): Seen => ({
      file,
      line: null,
      rule: 'not_formatted',
      message: `${formatter.name} would write it differently`,
      weight: 'reported',
    }),
  );
  return { formatter, version, seen, problem: problem === null ? null : `${formatter.name}: ${problem}` };
}

function combined(looked: readonly Looked[]): GateResult {
  const problems = looked.flatMap(({ problem }) => problem ?? []);
  const result = resultOf(
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
    kind: 'executed_by_us',
    outcome: problems.length > 0 ? 'inert' : result.outcome,
    detail,
  };
}
