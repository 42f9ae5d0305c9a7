import { readdir, readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import * as z from 'zod';
import { CONFIG_FILE } from '../../gates/core/configuration-file.ts';
import type { PatchTask } from '../../gates/core/judge.ts';
import { GATE_MODULE_FOLDER, selectGateModuleNames } from '../../gates/gates/custom/gate-modules.ts';
import { findGate } from '../../gates/gates/gate-registry.ts';
import { parseYamlFile, validateYamlFile } from '../../gates/pipeline/configuration/config-yaml.ts';
import { type ParsedAssayConfig, parseAssayConfig } from '../../gates/pipeline/configuration/parse-config.ts';
import type { GateBypass } from '../../gates/pipeline/gate-runner.ts';
import { Exam } from '../../shared/contract/exam.ts';
import type { ExpectedChangeKind } from '../../shared/contract/submission/expected-changes.ts';
import { invalidRegexReason } from '../../shared/contract/submission/regex.ts';
import { TaskSubmission } from '../../shared/contract/submission/schema.ts';
import { type AuthorSignal, CompletionSignal } from '../../shared/contract/submission/signals.ts';
import { parseAuthorSignals } from '../../shared/control/forge/author-signals.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';

/** A task as `POST /tasks` takes it; every field is optional, because a check needs few of them. */
const TaskDocument = TaskSubmission.partial().extend({
  /** The exam, or its folder. */
  exam: z.union([z.string(), Exam]).optional(),
  completion_signals: z
    .array(CompletionSignal)
    .max(100)
    .default([])
    .superRefine((signals, context) => {
      signals.forEach((signal, index) => {
        const problem =
          signal.type === 'file_contains' && signal.regex ? invalidRegexReason(signal.regex) : null;
        if (problem) context.addIssue({ code: 'custom', path: [index, 'regex'], message: problem });
      });
    }),
});

/** What a check takes from a task. */
export interface CheckTask {
  readonly signals: CompletionSignal[];
  /** Of a pull request: what its author asks to be checked. */
  readonly authorSignals: AuthorSignal[];
  readonly files: string[];
  readonly expectedChanges: ExpectedChangeKind[];
  readonly role: string | undefined;
  readonly task: PatchTask;
  /** The exam, or its folder relative to the task file. Absent: the task has none. */
  readonly exam?: Exam | string | undefined;
}

const MAX_TITLE = 500;
const MAX_DESCRIPTION = 100_000;

const PullRequestEvent = z.object({
  pull_request: z
    .object({ number: z.number().int(), title: z.string(), body: z.string().nullish() })
    .optional(),
});

/**
 * Reads the pull request of an event of GitHub as a task: title and text. Null: the event is about none, as a push.
 * @throws CliError
 */
export function parsePullRequestEvent(text: string, file: string): CheckTask | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  const read = PullRequestEvent.safeParse(value);
  if (!read.success)
    throw new CliError(CLI_EXIT_CODES.usage, 'bad_event', `${file} is not an event of GitHub.`, {
      hint: 'In a workflow: --github-event "$GITHUB_EVENT_PATH".',
    });
  const { pull_request: pull } = read.data;
  if (!pull) return null;
  const { number, title, body } = pull;
  const task = {
    id: `pull-request-${number}`,
    title: title.slice(0, MAX_TITLE),
    description: (body ?? '').slice(0, MAX_DESCRIPTION),
  };
  const asked = parseAuthorSignals(body ?? '');
  if (asked && 'problem' in asked)
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'bad_assay_block',
      `The assay block of the pull request: ${asked.problem}.`,
    );
  return {
    signals: [],
    authorSignals: asked?.signals ?? [],
    files: [],
    expectedChanges: [],
    role: undefined,
    task,
  };
}

/** Parses the fields of a task file that a check needs. @throws ConfigError that names each refused field and its line */
export function parseCheckTaskFile(text: string, file: string): CheckTask {
  const {
    id = '',
    title = '',
    description = '',
    completion_signals,
    files = [],
    expected_changes: expectedChanges = [],
    role,
    exam,
  } = validateYamlFile(TaskDocument, parseYamlFile(text, file));
  return {
    ...{ signals: completion_signals, authorSignals: [], files, expectedChanges, role, exam },
    task: { id, title, description },
  };
}

/** Reads the configuration in a folder; null: there is none. @throws ConfigError */
export async function readAssayConfig(dir: string): Promise<ParsedAssayConfig | null> {
  const text = await readFile(resolve(dir, CONFIG_FILE), 'utf8').catch(() => null);
  if (text === null) return null;
  const files = await readdir(resolve(dir, GATE_MODULE_FOLDER)).catch(() => []);
  return parseAssayConfig(text, CONFIG_FILE, selectGateModuleNames(files));
}

/** Returns `base_ref` of the configuration in the folder, or null. It only chooses the base commit. */
export const readConfiguredBaseRef = async (dir: string): Promise<string | null> =>
  (await readAssayConfig(dir))?.gates.base_ref ?? null;

/** Builds the bypasses of gates. @throws CliError for an unknown gate or a missing reason */
export async function parseGateBypasses(
  gates: readonly string[],
  reason: string | undefined,
  dir: string,
): Promise<GateBypass[]> {
  if (!reason?.trim())
    throw new CliError(CLI_EXIT_CODES.usage, 'missing_reason', '--skip-gate needs --skip-gate-reason.', {
      hint: 'The reason is kept in the evidence.',
    });
  const own = (await readAssayConfig(dir))?.gates;
  const known = new Set([...(own?.custom_gates ?? []).map(({ name }) => name), ...(own?.modules ?? [])]);
  return gates.map((gate) => {
    if (!findGate(gate) && !known.has(gate))
      throw new CliError(CLI_EXIT_CODES.usage, 'unknown_gate', `There is no gate "${gate}".`);
    return { gate, reason: reason.trim(), actor: userName(), task: null, until: null };
  });
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // Some containers have no entry for the user.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
