import type { GateEvidence } from '../../../shared/contract/evidence/schema.ts';
import { toDisplayPath } from '../../../workspace/git/path-encoding.ts';
import type { GateResult } from '../../core/gate.ts';
import { MAX_TOOL_FOLDERS } from './tool-folders.ts';

/** The result of one tool in one folder. */
export interface ToolGateResult {
  readonly tool: string;
  /** '' is the top. */
  readonly folder: string;
  readonly result: GateResult;
}

/** What stops a gate from saying "passed", gravest first. */
const OUTCOMES_WORST_FIRST = [
  'failed',
  'timed_out',
  'infra_failed',
  'could_not_run',
  'passed',
  'skipped',
] as const;

/**
 * One result of several: the gravest outcome, and what all of them say.
 * @param beyond folders that nobody looked at; that is no pass.
 */
export function combineToolResults(parts: readonly ToolGateResult[], beyond: readonly string[]): GateResult {
  const all = beyond.length > 0 ? [...parts, uncheckedFoldersResult(beyond)] : parts;
  const [only] = all;
  if (only && all.length === 1) return only.result;
  const results = all.map(({ result }) => result);
  return {
    outcome:
      OUTCOMES_WORST_FIRST.find((outcome) => results.some((result) => result.outcome === outcome)) ??
      'could_not_run',
    kind: results[0]?.kind ?? 'checked',
    findings: results.flatMap(({ findings }) => findings),
    detail: all
      .map(({ result, ...place }) => `${titleOf(place)}${result.outcome}: ${result.detail}`)
      .join('\n'),
    facts: mergeFacts(results),
    ...(results.some(({ tests }) => tests) ? { tests: results.flatMap(({ tests }) => tests ?? []) } : {}),
    ...(results.some(({ hiddenTestsResults }) => hiddenTestsResults)
      ? { hiddenTestsResults: results.flatMap(({ hiddenTestsResults }) => hiddenTestsResults ?? []) }
      : {}),
  };
}

const titleOf = ({ tool, folder }: Pick<ToolGateResult, 'tool' | 'folder'>): string =>
  tool === '' ? '' : `${tool}${folder === '' ? '' : ` in ${toDisplayPath(folder)}`}: `;

const uncheckedFoldersResult = (folders: readonly string[]): ToolGateResult => ({
  tool: '',
  folder: '',
  result: {
    outcome: 'could_not_run',
    kind: 'checked',
    findings: [],
    detail: `at most ${MAX_TOOL_FOLDERS} folders of a language are looked at; not looked at: ${folders.slice(0, 20).map(toDisplayPath).join(', ')}`,
  },
});

/** Numbers that are no counts: those of several tools stand side by side. */
const NON_COUNT_FACTS = /^(?:coverage|coverage_base|delta|score|threshold)$/;

/** Facts of several tools: names and versions side by side, counts added up. */
function mergeFacts(results: readonly GateResult[]): GateEvidence['facts'] {
  const facts: GateEvidence['facts'] = {};
  for (const result of results)
    for (const [key, value] of Object.entries(result.facts ?? {})) {
      const had = facts[key];
      if (had === undefined) facts[key] = value;
      else if (key === 'exit_code') facts[key] = typeof had === 'number' && had !== 0 ? had : value;
      else if (typeof had === 'number' && typeof value === 'number' && !NON_COUNT_FACTS.test(key))
        facts[key] = had + value;
      else if (had !== value) facts[key] = `${had}, ${value}`;
    }
  return facts;
}
