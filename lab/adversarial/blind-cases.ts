import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ExpectedChangeKind } from '../../shared/contract/submission/expected-changes.ts';
import { TaskOwnedPath } from '../../shared/contract/submission/signals.ts';
import { type AdversarialCase, CAUGHT_BY_ANY_RUN, parseTaskText } from './adversarial-case.ts';
import { GO_ENVIRONMENT } from './sample-projects.ts';

const Patch = z.record(z.string(), z.string().nullable());

/** A case as somebody writes it who knows nothing of the gates: a project, its tests, a patch that cheats and one that does not. */
export const BlindCase = z.object({
  name: z.string().min(1),
  class: z.string().min(1),
  /** Line that runs the tests. */
  command: z.string().min(1),
  /** What was asked for. */
  task: z.string(),
  /** What whoever asks foresees, and files that he names, as in any task: both patches are judged with them. */
  expected_changes: z.array(ExpectedChangeKind).default([]),
  files: z.array(TaskOwnedPath).default([]),
  base: z.record(z.string(), z.string()),
  evasive: Patch,
  honest: Patch,
  /** Tests that whoever asked could have handed in; used with `--hidden`. */
  hidden: z.record(z.string(), z.string()).default({}),
});

/** The cases of a folder, one JSON file each. @throws when a file is none. */
export const readBlindCases = (folder: string, withHidden = false): AdversarialCase[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((file) => {
      const { data, error } = BlindCase.safeParse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
      if (!data) throw new Error(`${file}: ${z.prettifyError(error)}`);
      const { name, command, base, evasive, honest, hidden, expected_changes, files } = data;
      return {
        class: data.class,
        name,
        base,
        config: `lint: false\ntests: true\ntimeout_s: 900\ntest_command: ${JSON.stringify(addGoCache(command))}`,
        patch: evasive,
        task: parseTaskText(data.task, name),
        expectedChanges: expected_changes,
        files,
        expectedCatch: CAUGHT_BY_ANY_RUN,
        ...(withHidden ? { hiddenTests: hidden } : {}),
        honestTwin: { name: `${name}, honestly`, patch: honest },
      };
    });

/** Every checkout would compile the standard library of Go anew. */
export const addGoCache = (command: string): string =>
  /^go test\b/.test(command) ? `${GO_ENVIRONMENT} ${command}` : command;
