import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Context } from 'aws-lambda';
import * as z from 'zod';
import type { WriteCredentialRequest } from '../../shared/contract/messages/credential-messages.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import type { BaseCommitAndTree } from '../../shared/contract/task/task.ts';
import { AcceptedTreeStore } from '../../shared/store/accepted-trees.ts';
import { readOptionalEnv } from '../../shared/store/env.ts';
import { CERTIFICATE_VARIABLES } from '../../workspace/process/command-environment.ts';
import { killAllProcessGroups } from '../../workspace/process/process-groups.ts';
import { removeFolder } from '../../workspace/process/remove-folder.ts';
import { installCaBundle } from '../../workspace/supervisor/ca-bundle.ts';
import { fetchAndRemoveAssignment } from '../../workspace/supervisor/take-assignment.ts';
import { createRepositoryCredentialProvider } from '../runtime/credential-provider.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { logger } from '../runtime/logger.ts';
import { openTable } from '../runtime/open-table.ts';
import { deliverWork } from './deliver-work.ts';

const PREFIX = 'assay-deliver-';

/**
 * Where this execution environment keeps files: Lambda uses it again, for other repositories, and a file outlives an invocation that was cut
 * off. No other invocation is in it at the same time.
 */
const place = (): string => process.env['TMPDIR'] ?? '/tmp';

/** What invocations before this one have left behind. */
const leftIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith(PREFIX)).map((name) => join(folder, name));

/**
 * Does something in a folder of its own, which is gone afterwards, however it ends. Whether it is gone is looked at before the next: nothing
 * of one repository is there when another is worked on.
 * @throws Error when what was left behind cannot be removed.
 */
async function withTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const parent = place();
  await mkdir(parent, { recursive: true });
  for (const left of await leftIn(parent)) await removeFolder(left);
  const [still] = await leftIn(parent);
  if (still !== undefined)
    throw new Error(`an earlier invocation has left ${still}, which cannot be removed`);
  const folder = await mkdtemp(join(parent, PREFIX));
  try {
    return await work(folder);
  } finally {
    await removeFolder(folder);
  }
}

const client = new SecretsManagerClient({});
const accepted = new AcceptedTreeStore(openTable());

/**
 * JSON of PushCredentials (shared/contract/repository/schema.ts); null when the deployment has none. Read anew for each delivery, and remembered by
 * nobody: not in the environment, which outlives an invocation, and not in a cache.
 */
async function readPushSecret(): Promise<string | null> {
  const arn = readOptionalEnv(FUNCTION_ENV_NAMES.deliverySecret, '');
  if (arn === '') return null;
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: arn }));
  return SecretString?.trim() || null;
}

/** What the dispatcher says: which launch it is, and where its assignment lies. */
const DeliverEvent = z.object({ launch_name: z.string(), assignment_url: z.string() });

/** What is left of the invocation's time, in milliseconds, when git is ended: to ask the remote what it has, and to say why. */
const LAST_WORDS_MS = 60_000;

/** What git is to trust, in a folder of this invocation. */
async function useCaBundle(folder: string): Promise<void> {
  const found = { ...process.env };
  await installCaBundle(folder, found);
  for (const name of CERTIFICATE_VARIABLES) if (found[name] !== undefined) process.env[name] = found[name];
}

/**
 * Delivers one piece of work. What is told to Lambda as an error is a lost delivery, which the reconciler hears of; how a delivery went is told
 * to the API. An assignment that is gone has been taken by an earlier invocation of the same launch.
 */
export const handler = withErrorLogging(
  async (
    event: unknown,
    lambda: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<{ readonly taken: boolean }> => {
    const { launch_name, assignment_url } = DeliverEvent.parse(event);
    return withTemporaryFolder(async (workDir) => {
      const assignment = await fetchAndRemoveAssignment('deliver', assignment_url);
      if (assignment === null) {
        logger.info('another invocation has taken it', { launch_name });
        return { taken: false };
      }
      await useCaBundle(workDir);
      const late = new AbortController();
      const timer = setTimeout(
        () => {
          late.abort();
          killAllProcessGroups();
        },
        Math.max(0, lambda.getRemainingTimeInMillis() - LAST_WORDS_MS),
      );
      try {
        const requirements = {
          isAccepted: (task: string, work: BaseCommitAndTree) => accepted.isAccepted(task, work),
          getCredential: createRepositoryCredentialProvider<WriteCredentialRequest>(),
          readSecret: readPushSecret,
        };
        const embedded = readOptionalEnv(FUNCTION_ENV_NAMES.allowFileRepositories, 'false') === 'true';
        await deliverWork(assignment, { workDir, users: null, embedded, abort: late.signal }, requirements);
      } finally {
        clearTimeout(timer);
        killAllProcessGroups();
      }
      return { taken: true };
    });
  },
);
