import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { AttemptView } from '../shared/api/schemas.ts';
import { isScreenshot } from '../shared/contract/evidence/is-screenshot.ts';
import { screenshotsIn } from '../shared/contract/screenshot.ts';
import { CliError, EXIT } from './exit.ts';
import type { Session } from './session.ts';

/** Writes the pictures of an attempt into a folder and answers their files, in the order of the evidence. What is there is replaced. */
export async function saveScreenshots(
  session: Session,
  id: string,
  attempt: AttemptView | undefined,
  folder: string,
): Promise<string[]> {
  const shots = screenshotsIn(attempt?.verification ?? { gates: [] });
  if (!attempt || shots.length === 0)
    throw new CliError(EXIT.notFound, 'not_found', `task ${id} has no screenshots there`);
  const place = resolve(session.io.cwd, folder);
  await mkdir(place, { recursive: true });
  const files: string[] = [];
  for (const shot of shots) {
    const { text } = await session
      .client()
      .artifact({ id, query: { kind: 'screenshot', attempt: attempt.number, name: shot.name } });
    const png = Buffer.from(text, 'base64');
    if (!isScreenshot(png, shot))
      throw new CliError(
        EXIT.failed,
        'screenshot_changed',
        `screenshot ${shot.name} is not what the evidence tells of`,
      );
    const file = join(place, `${shot.name}.png`);
    await writeFile(file, png);
    files.push(file);
  }
  return files;
}
