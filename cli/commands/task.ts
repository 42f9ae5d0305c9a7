import { type Command, Option } from 'commander';
import type * as z from 'zod';
import { ARTIFACT_KINDS, type ArtifactPart } from '../../shared/api/artifact-schemas.ts';
import { taskAddress } from '../../shared/api/page-paths.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { EXIT } from '../exit.ts';
import type { Io } from '../io.ts';
import { openAddress } from '../open-address.ts';
import { renderTask } from '../output/task-page.ts';
import { saveScreenshots } from '../screenshots.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';
import { wholeNumber } from '../whole-number.ts';

/** What can be printed; pictures are files. */
const TEXTS = ARTIFACT_KINDS.filter((kind) => kind !== 'screenshot');

interface Options {
  readonly open?: boolean;
  readonly print?: (typeof TEXTS)[number];
  readonly screenshots?: string;
  readonly attempt?: number;
}

/** Writes it part by part: a transcript may be longer than one likes to keep in memory. */
async function printArtifact(
  session: Session,
  id: string,
  kind: NonNullable<Options['print']>,
  attempt: number | undefined,
): Promise<void> {
  for (let offset: number | null = 0; offset !== null; ) {
    const part: z.infer<typeof ArtifactPart> = await session
      .client()
      .artifact({ id, query: { kind, attempt, offset } });
    session.io.stdout.write(part.text);
    offset = part.next_offset;
  }
}

export function registerTask(program: Command, io: Io): void {
  const command = program
    .command('task')
    .argument('<id>', 'task id')
    .description(SUMMARY.task)
    .addOption(
      new Option('--print <what>', 'print what the latest attempt has left, as it is').choices(TEXTS),
    )
    .option('--screenshots <folder>', 'write the pictures that gates have taken of the latest attempt there')
    .option('--attempt <number>', 'with --print or --screenshots: another attempt', wholeNumber)
    .option('--open', 'show it on the page, in a browser')
    .option(...JSON_OPTION);
  action<[string, Options]>(command, io, async (session, id, options) => {
    const client = session.client();
    if (options.print) {
      await printArtifact(session, id, options.print, options.attempt);
      return EXIT.ok;
    }
    if (options.screenshots !== undefined) {
      const { attempts } = await client.listAttempts({ id });
      const { attempt: number } = options;
      const attempt =
        number === undefined ? attempts.at(-1) : attempts.find((each) => each.number === number);
      const files = await saveScreenshots(session, id, attempt, options.screenshots);
      if (session.json) session.printJson({ screenshots: files });
      else for (const file of files) session.print(file);
      return EXIT.ok;
    }
    if (options.open) {
      // Whether there is such a task, this tells; the page asks for a token of its own.
      await client.getTask({ id });
      const address = taskAddress(session.connection().url, id);
      if (session.json) session.printJson({ address });
      else session.print(address);
      openAddress(address, session);
      return EXIT.ok;
    }
    const [task, chain] = await Promise.all([client.getTask({ id }), client.listAttempts({ id })]);
    const { task_id: _, ...rest } = chain;
    if (session.json) session.printJson({ task, ...rest });
    else session.print(renderTask(task, chain, session.out));
    return EXIT.ok;
  });
  examples(command, [
    ['task 01JD8Z0000EXAMPLE', 'what happened, and why'],
    ['task 01JD8Z0000EXAMPLE --print patch | git apply', 'the work itself'],
    ['task 01JD8Z0000EXAMPLE --screenshots shots', 'the pages of the application, as a gate has seen them'],
    ['task 01JD8Z0000EXAMPLE --open', 'the same on the page, with the diff and over time'],
    ["task 01JD8Z0000EXAMPLE --json | jq '.attempts[].verdict.reasons'", 'why each attempt was refused'],
  ]);
}
