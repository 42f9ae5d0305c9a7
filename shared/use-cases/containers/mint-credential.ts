import type {
  CredentialRequest,
  CredentialResponse,
  WriteCredentialRequest,
} from '../../contract/messages/credential-messages.ts';
import type { GitHubAppCredential, GitSecret } from '../../contract/repository/git-secret.ts';
import { findLongestScope } from '../../contract/repository/repository-url.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { currentStage } from '../../control/task-commands/stage.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { TaskStore } from '../../store/task-store.ts';

export interface MintCredentialContext {
  readonly tasks: Pick<TaskStore, 'get'>;
  /** @throws Error that tells nothing of it, when it cannot be read. */
  readonly secret: () => Promise<GitSecret>;
  /** A token of an App's installation for one repository, or why there is none. */
  readonly installationToken: (
    app: GitHubAppCredential,
    repository: string,
    access: CredentialRequest['access'],
  ) => Promise<{ readonly token: string } | Extract<CredentialResponse, { outcome: 'refused' }>>;
}

const refused = (message: string): CredentialResponse => ({ outcome: 'refused', message, transient: false });

/** Why a launch is given nothing to push with; null when it is: it is the one that delivers, and it has leave. */
function pushRefusal(task: Task, { task_id, token }: WriteCredentialRequest): string | null {
  const stage = currentStage(task);
  if (stage !== 'deliver') return `task ${task_id} is not to be delivered: it is at ${stage}`;
  const launch = currentAttempt(task)?.deliver;
  if (!launch || launch.lost || launch.token_sha256 !== sha256(token))
    return `this is not the launch that delivers task ${task_id}`;
  return task.delivery?.state === 'pushing' ? null : `no leave was given to push for task ${task_id}`;
}

/** Why a task is given no such credential; null when it is. Who asks is not believed: the task says what is due. */
function mintRefusal(task: Task | null, request: CredentialRequest): string | null {
  const { task_id, repository, access } = request;
  if (!task) return `there is no task ${task_id}`;
  // Where hidden tests lie is not on the task; that there are some is.
  const named = task.repository === repository || (access === 'read' && task.hidden_tests !== null);
  if (!named) return `task ${task_id} is not about ${repository}`;
  if (access === 'write') return pushRefusal(task, request);
  return currentStage(task) === 'ended' && task.runner === 'managed' ? `task ${task_id} has ended` : null;
}

/** GitHub takes a token as the password of this user. */
const basic = (token: string): string => `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

/** Makes what may be said to a repository: for reading, or for writing what has leave to be pushed. */
export async function mintCredential(
  request: CredentialRequest,
  context: MintCredentialContext,
): Promise<CredentialResponse> {
  const why = mintRefusal(await context.tasks.get(request.task_id), request);
  if (why !== null) return refused(why);
  const { credentials } = await context.secret();
  const entry = findLongestScope(credentials, request.repository);
  if (!entry) return refused(`the secret has no credential for ${request.repository}`);
  if ('github_app' in entry) {
    const made = await context.installationToken(entry, request.repository, request.access);
    return 'token' in made ? { outcome: 'minted', authorization: basic(made.token) } : made;
  }
  // What is kept is for reading; what pushes lies with the function that delivers alone.
  if (request.access === 'write') return { outcome: 'none' };
  return {
    outcome: 'minted',
    authorization: 'authorization' in entry ? entry.authorization : basic(entry.token),
  };
}
