import type { Context } from 'aws-lambda';
import * as z from 'zod';
import type { WriteRequest } from '../../shared/contract/messages/mint.ts';
import { ENV } from '../../shared/contract/names.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { TRUSTED_FILES } from '../../workspace/process/environment.ts';
import { killAllGroups } from '../../workspace/process/groups.ts';
import { readAssignment } from '../../workspace/supervisor/assignment.ts';
import { trustPrivateCas } from '../../workspace/supervisor/trust.ts';
import { heard } from '../runtime/heard.ts';
import { logger } from '../runtime/logger.ts';
import { authorizer } from '../runtime/minter.ts';
import { deliver } from './deliver.ts';
import { inOwnFolder } from './folder.ts';
import { readSecret } from './secret.ts';

/** What the dispatcher says: which launch it is, and where its assignment lies. */
const DeliverEvent = z.object({ box: z.string(), assignment_url: z.string() });

/** What is left of the invocation's time, in milliseconds, when git is ended: to ask the remote what it has, and to say why. */
const LAST_WORDS_MS = 60_000;

/** What git is to trust, in a folder of this invocation. */
async function trust(folder: string): Promise<void> {
  const found = { ...process.env };
  await trustPrivateCas(folder, found);
  for (const name of TRUSTED_FILES) if (found[name] !== undefined) process.env[name] = found[name];
}

/**
 * Delivers one piece of work. What is told to Lambda as an error is a lost delivery, which the reconciler hears of; how a delivery went is told
 * to the API. An assignment that is gone has been taken by an earlier invocation of the same launch.
 */
export const handler = heard(
  async (
    event: unknown,
    lambda: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<{ readonly taken: boolean }> => {
    const { box, assignment_url } = DeliverEvent.parse(event);
    return inOwnFolder(async (workDir) => {
      const assignment = await readAssignment('deliver', assignment_url);
      if (assignment === null) {
        logger.info('another invocation has taken it', { box });
        return { taken: false };
      }
      await trust(workDir);
      const late = new AbortController();
      const timer = setTimeout(
        () => {
          late.abort();
          killAllGroups();
        },
        Math.max(0, lambda.getRemainingTimeInMillis() - LAST_WORDS_MS),
      );
      try {
        const credentials = { authorize: authorizer<WriteRequest>(), secret: readSecret };
        const embedded = optionalEnv(ENV.allowFileRepositories, 'false') === 'true';
        await deliver(assignment, { workDir, users: null, embedded, abort: late.signal }, credentials);
      } finally {
        clearTimeout(timer);
        killAllGroups();
      }
      return { taken: true };
    });
  },
);
