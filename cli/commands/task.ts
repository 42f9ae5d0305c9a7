import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type * as z from 'zod';
import { ARTIFACT_KINDS, type ArtifactPartResponse } from '../../shared/api/artifact-schemas.ts';
import { taskPageUrl } from '../../shared/api/page-paths.ts';
import { hasScreenshotDigest } from '../../shared/contract/evidence/screenshot-digest.ts';
import { listScreenshots } from '../../shared/contract/screenshot.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { openInBrowser } from '../open-address.ts';
import { renderTaskDetails } from '../output/task-page.ts';
import { createIntegerParser, defineOption } from '../parameters.ts';
import { defineServerCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { TASK_ID_ARGUMENT } from '../shared-options.ts';

/** Artifacts that can be printed; screenshots are files. */
const TEXT_KINDS = ARTIFACT_KINDS.filter((kind) => kind !== 'screenshot');

/** Prints an artifact part by part: a transcript may be longer than memory should hold. */
async function printArtifact(
  session: ServerCommandSession,
  id: string,
  kind: (typeof TEXT_KINDS)[number],
  attempt: number | undefined,
): Promise<void> {
  for (let offset: number | null = 0; offset !== null; ) {
    const part: z.infer<typeof ArtifactPartResponse> = await session
      .client()
      .artifact({ id, query: { kind, attempt, offset } });
    session.io.stdout.write(part.text);
    offset = part.next_offset;
  }
}

/** Writes the screenshots of an attempt (default: the latest) into a folder. Returns their files, in the order of the evidence. */
async function saveScreenshots(
  session: ServerCommandSession,
  id: string,
  number: number | undefined,
  folder: string,
): Promise<string[]> {
  const client = session.client();
  const { attempts } = await client.listAttempts({ id });
  const attempt = number === undefined ? attempts.at(-1) : attempts.find((each) => each.number === number);
  const screenshots = listScreenshots(attempt?.verification ?? { gates: [] });
  if (!attempt || screenshots.length === 0)
    throw new CliError(CLI_EXIT_CODES.notFound, 'not_found', `task ${id} has no screenshots there`);
  const place = resolve(session.io.cwd, folder);
  await mkdir(place, { recursive: true });
  const files: string[] = [];
  for (const screenshot of screenshots) {
    const query = { kind: 'screenshot', attempt: attempt.number, name: screenshot.name } as const;
    const { text } = await client.artifact({ id, query });
    const png = Buffer.from(text, 'base64');
    if (!hasScreenshotDigest(png, screenshot))
      throw new CliError(
        CLI_EXIT_CODES.failed,
        'screenshot_changed',
        `screenshot ${screenshot.name} differs from the one in the evidence`,
      );
    const file = join(place, `${screenshot.name}.png`);
    await writeFile(file, png);
    files.push(file);
  }
  return files;
}

export const taskCommand = defineServerCommand({
  name: 'task',
  arguments: { id: TASK_ID_ARGUMENT },
  options: {
    print: defineOption('--print <what>', 'print an artifact of the latest attempt, unchanged', {
      choices: TEXT_KINDS,
    }),
    screenshots: defineOption('--screenshots <folder>', 'write the screenshots of the latest attempt there'),
    attempt: defineOption('--attempt <number>', 'with --print or --screenshots: another attempt', {
      parse: createIntegerParser(),
    }),
    open: defineOption('--open', 'open the task on the web page'),
  },
  json: '`--json` prints `{"task": Task, "attempts": [Attempt], "total_cost_usd": number | null, "judging_cost_usd": number | null, "saved_vs_direct_opus_usd": number | null, "break_even_pass_rate": number | null}`. Null is unknown, never 0.',
  examples: [
    ['task 01JD8Z0000EXAMPLE', 'what happened, and why'],
    ['task 01JD8Z0000EXAMPLE --print patch | git apply', 'the patch'],
    ['task 01JD8Z0000EXAMPLE --screenshots shots', 'the screenshots that a gate took of the application'],
    ['task 01JD8Z0000EXAMPLE --open', 'the same on the web page, with the diff and a timeline'],
    ["task 01JD8Z0000EXAMPLE --json | jq '.attempts[].verdict.reasons'", 'the reasons of each verdict'],
  ],
  run: async (session, { id, print, screenshots, attempt, open }) => {
    const client = session.client();
    if (print) await printArtifact(session, id, print, attempt);
    else if (screenshots !== undefined) {
      const files = await saveScreenshots(session, id, attempt, screenshots);
      session.show({ screenshots: files }, () => files.join('\n'));
    } else if (open) {
      // Fails if the task does not exist; the page asks for a token of its own.
      await client.getTask({ id });
      const address = taskPageUrl(session.connection().url, id);
      session.show({ address }, () => address);
      openInBrowser(address, session);
    } else {
      const [task, chain] = await Promise.all([client.getTask({ id }), client.listAttempts({ id })]);
      const { task_id: _, ...rest } = chain;
      session.show({ task, ...rest }, () => renderTaskDetails(task, chain, session.out));
    }
    return undefined;
  },
});
