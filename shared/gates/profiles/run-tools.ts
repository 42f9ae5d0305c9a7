import { shownPath } from '../../checkout/path-bytes.ts';
import type { GateEvidence } from '../../evidence/schema.ts';
import { askBase } from '../baseline/ask.ts';
import { failsFast } from '../baseline/fails-fast.ts';
import { resultOn } from '../baseline/result.ts';
import { writtenFiles, writtenTests } from '../baseline/written.ts';
import { flakyLook } from '../flaky/terms.ts';
import type { GateContext, GateResult } from '../gate.ts';
import { type Guarded, guarded } from '../guarded.ts';
import { type AddedLines, addedLines } from './added-lines.ts';
import type { Choice, Chosen } from './choose.ts';
import { type Execution, execute } from './execute.ts';
import { MAX_FOLDERS } from './folders.ts';
import type { Blame } from './judge.ts';
import { languageOfPath } from './languages.ts';
import { missing, toolVersion } from './tool-version.ts';

export interface ToolGate {
  readonly blame: Blame;
  /** Tests that the patch takes away are run with it. */
  readonly runsTests: boolean;
}

/** What stops a gate from saying "passed", gravest first. */
const GRAVEST = ['failed', 'timed_out', 'infra_failed', 'inert', 'passed'] as const;

/** Runs the tool of each language; the gravest result is the gate's. */
export async function runTools(
  context: GateContext,
  { tools: chosen, beyond }: Choice,
  gate: ToolGate,
): Promise<GateResult> {
  const { subject } = context;
  const added = await addedLines(subject.store, subject.base, subject.tree);
  const results: GateResult[] = [];
  // The limit is the gate's, however many runs it takes.
  const until = performance.now() + context.timeoutMs;
  const left = (): number => Math.max(1, until - performance.now());
  for (const each of chosen) results.push(await runOne(context, each, gate, added, left));
  if (beyond.length > 0) results.push(notLookedAt(beyond));
  const [only] = results;
  if (only && results.length === 1) return only;
  return {
    outcome: GRAVEST.find((outcome) => results.some((result) => result.outcome === outcome)) ?? 'inert',
    kind: 'executed_by_us',
    findings: results.flatMap(({ findings }) => findings),
    detail: results
      .map(({ outcome, detail }, at) => `${titleOf(chosen[at])}${outcome}: ${detail}`)
      .join('\n'),
    metadata: merged(results),
    ...(results.some(({ tests }) => tests) ? { tests: results.flatMap(({ tests }) => tests ?? []) } : {}),
  };
}

const titleOf = (each: Chosen | undefined): string =>
  each ? `${each.tool.name}${each.folder === '' ? '' : ` in ${shownPath(each.folder)}`}: ` : '';

/** A part that nobody looked at is no pass. */
const notLookedAt = (folders: readonly string[]): GateResult => ({
  outcome: 'inert',
  kind: 'checked_by_us',
  findings: [],
  detail: `at most ${MAX_FOLDERS} folders of a language are looked at; not looked at: ${folders.slice(0, 20).map(shownPath).join(', ')}`,
});

async function runOne(
  context: GateContext,
  { tool, setup, language, folder }: Chosen,
  { blame, runsTests }: ToolGate,
  added: AddedLines,
  left: () => number,
): Promise<GateResult> {
  const { subject } = context;
  const version = await toolVersion(subject.rooms, subject.base, tool, { setup, folder });
  const metadata = {
    tool: tool.name,
    tool_version: version,
    command: tool.line,
    language,
    ...(folder === '' ? {} : { folder: shownPath(folder) }),
  };
  if (version === null)
    return { outcome: 'inert', kind: 'checked_by_us', findings: [], detail: missing(tool), metadata };
  const options = { rooms: subject.rooms, tool, setup, folder, left };

  const base = askBase(context, {
    facts: async () => ({ tool: { ...tool, stops: null, signs: [] }, version, setup, folder }),
    run: () => execute(subject.base, options),
  });
  const failsEarly = runsTests && (await failsFast(subject, tool.line));
  const runs: { readonly execution: Execution; readonly result: GateResult }[] = [];
  const once = async (tree: string, restored: readonly string[]): Promise<GateResult> => {
    const execution = await execute(tree, options);
    const result = await resultOn(execution, {
      what: tool.name,
      blame,
      added,
      base,
      failsFast: failsEarly,
      ...(tool.stops ? { stops: tool.stops } : {}),
      ...(context.flaky && runsTests
        ? {
            flaky: flakyLook(context, context.flaky, { tool: tool.name, folder }, restored, () =>
              execute(tree, options),
            ),
          }
        : {}),
      ...(runsTests ? { written: async () => writtenTests(await writtenFiles(subject), restored) } : {}),
    });
    runs.push({ execution, result });
    return result;
  };
  const all: Guarded = await guarded(subject, tool.line, once, runsTests && touches(context, language));
  const [first] = runs;
  return {
    ...all,
    kind: 'executed_by_us',
    findings: [...(first?.result.findings ?? []), ...all.findings],
    metadata: {
      ...metadata,
      ...first?.result.metadata,
      runs: runs.length,
      exit_code: first?.execution.ran.exitCode ?? null,
      output_bytes_cut: first?.execution.ran.cutBytes ?? 0,
    },
    ...(first?.result.tests ? { tests: first.result.tests } : {}),
  };
}

/** Tests of another language are none that this tool would run. */
const touches = ({ subject }: GateContext, language: Chosen['language']): boolean =>
  subject.tests.some(({ path }) => [language, null].includes(languageOfPath(path)));

/** Facts of several tools: names and versions side by side, counts added up. */
function merged(results: readonly GateResult[]): GateEvidence['metadata'] {
  const facts: GateEvidence['metadata'] = {};
  for (const { metadata } of results)
    for (const [key, value] of Object.entries(metadata ?? {})) {
      const had = facts[key];
      if (had === undefined) facts[key] = value;
      else if (key === 'exit_code') facts[key] = typeof had === 'number' && had !== 0 ? had : value;
      else if (typeof had === 'number' && typeof value === 'number') facts[key] = had + value;
      else if (had !== value) facts[key] = `${had}, ${value}`;
    }
  return facts;
}
