import { shownPath } from '../../../workspace/git/path-bytes.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { languageOfPath } from '../../languages/languages.ts';
import { askBase } from '../comparing/ask.ts';
import { failsFast } from '../comparing/fails-fast.ts';
import { flakyLook } from '../comparing/flaky-terms.ts';
import { resultOn } from '../comparing/result.ts';
import { writtenFiles, writtenTests } from '../comparing/written.ts';
import { withBehaviour } from '../experiments/behaviour/judge.ts';
import { type AddedLines, addedLines } from '../running/added-lines.ts';
import type { Choice, Chosen } from '../running/choose.ts';
import type { Execution } from '../running/execution.ts';
import { gravestOf, type Part } from '../running/gravest.ts';
import { type Guarded, guarded } from '../running/guarded.ts';
import type { Blame } from '../running/judge.ts';
import { filesFor, withFiles } from '../running/on-files.ts';
import { missing, toolVersion } from '../running/tool-version.ts';
import { execute } from './execute.ts';

export interface ToolGate {
  readonly blame: Blame;
  /** Tests that the patch takes away are run with it. */
  readonly runsTests: boolean;
}

/** Runs the tool of each language; the gravest result is the gate's. */
export async function runTools(
  context: GateContext,
  { tools: chosen, beyond }: Choice,
  gate: ToolGate,
): Promise<GateResult> {
  const { subject } = context;
  const added = await addedLines(subject.store, subject.base, subject.tree);
  const parts: Part[] = [];
  // The limit is the gate's, however many runs it takes.
  const left = subject.rooms.within(context.timeoutMs);
  for (const each of chosen)
    parts.push({
      tool: each.tool.name,
      folder: each.folder,
      result: await runOne(context, each, gate, added, left),
    });
  return gravestOf(parts, beyond);
}

async function runOne(
  context: GateContext,
  chosen: Chosen,
  { blame, runsTests }: ToolGate,
  added: AddedLines,
  left: () => number,
): Promise<GateResult> {
  const { subject } = context;
  const { setup, language, folder } = chosen;
  const files = blame === 'added_lines' ? filesFor(chosen, subject.changes) : null;
  const tool = withFiles(chosen.tool, files?.patched ?? null);
  const onBase = withFiles(chosen.tool, files?.base ?? null);
  const version = await toolVersion(subject.rooms, subject.base, tool, { setup, folder });
  const metadata = {
    tool: tool.name,
    tool_version: version,
    command: files === null ? tool.line : (tool.onFiles?.line ?? tool.line),
    ...(files === null ? {} : { files_given: files.patched.length }),
    language,
    ...(folder === '' ? {} : { folder: shownPath(folder) }),
  };
  if (version === null)
    return { outcome: 'inert', kind: 'checked_by_us', findings: [], detail: missing(tool), metadata };
  const options = { rooms: subject.rooms, tool, setup, folder, left };

  const base = askBase(context, {
    facts: async () => ({
      tool: { ...onBase, stops: null, signs: [], onFiles: null },
      version,
      setup,
      folder,
    }),
    mustReport: tool.format !== null,
    run: () => execute(subject.base, { ...options, tool: onBase }),
  });
  const failsEarly = runsTests && (await failsFast(subject, tool.line));
  const runs: { readonly execution: Execution; readonly result: GateResult }[] = [];
  const once = async (tree: string): Promise<GateResult> => {
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
            flaky: flakyLook(context, context.flaky, { tool: tool.name, folder }, () =>
              execute(tree, options),
            ),
          }
        : {}),
      ...(runsTests ? { written: async () => writtenTests(await writtenFiles(subject)) } : {}),
    });
    runs.push({ execution, result });
    return result;
  };
  const all: Guarded = await guarded(subject, chosen.tool.line, once, folder);
  const [first] = runs;
  const ran: GateResult = {
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
  return runsTests && first && touches(context, language)
    ? withBehaviour(context, {
        result: ran,
        run: first.execution,
        base,
        language,
        again: (tree, { surroundings = {}, limitMs = Number.POSITIVE_INFINITY } = {}) =>
          execute(tree, { ...options, surroundings, left: () => Math.min(left(), limitMs) }),
      })
    : ran;
}

/** A patch in another language changes nothing that this tool would run. */
const touches = ({ subject }: GateContext, language: Chosen['language']): boolean =>
  subject.changes.some(({ path }) => [language, null].includes(languageOfPath(path)));
