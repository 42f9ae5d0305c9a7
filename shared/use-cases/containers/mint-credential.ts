import type {
  CredentialRequest,
  CredentialResponse,
  WriteCredentialRequest,
} from '../../contract/messages/credential-messages.ts';
import type { GitCredentialsSecret, GitHubAppCredential } from '../../contract/repository/git-secret.ts';
import { findMostSpecificScope } from '../../contract/repository/repository-url.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { determineCascadeStage } from '../../control/task-commands/cascade-stage.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { TaskStore } from '../../store/task-store.ts';

export interface MintCredentialContext {
  readonly tasks: Pick<TaskStore, 'get'>;
  /** @throws Error that tells nothing of it, when it cannot be read. */
  readonly secret: () => Promise<GitCredentialsSecret>;
  /** A token of an App's installation for one repository, or why there is none. */
  readonly installationToken: (
    app: GitHubAppCredential,
    repository: string,
    access: CredentialRequest['access'],
  ) => Promise<{ readonly token: string } | Extract<CredentialResponse, { outcome: 'refused' }>>;
}

const refused = (message: string): CredentialResponse => ({ outcome: 'refused', message, transient: false });

type MintRefusal =
  | {
      readonly code:
        | 'unknown_task'
        | 'other_repository'
        | 'wrong_launch'
        | 'push_not_approved'
        | 'task_ended';
    }
  | { readonly code: 'not_delivering'; readonly stage: string };

/** Returns why a launch gets no credential to push with, or null: it is the one that delivers, and its push is approved. */
function pushRefusal(task: Task, { token }: WriteCredentialRequest): MintRefusal | null {
  const stage = determineCascadeStage(task);
  if (stage !== 'deliver') return { code: 'not_delivering', stage };
  const launch = currentAttempt(task)?.deliver;
  if (!launch || launch.lost || launch.token_sha256 !== sha256(token)) return { code: 'wrong_launch' };
  return task.delivery?.state === 'pushing' ? null : { code: 'push_not_approved' };
}

/** Returns why a task gets no such credential, or null. The request is not believed: the task says what is due. */
function mintRefusal(task: Task | null, request: CredentialRequest): MintRefusal | null {
  const { repository, access } = request;
  if (!task) return { code: 'unknown_task' };
  // Where hidden tests lie is not on the task; that there are some is.
  const named = task.repository === repository || (access === 'read' && task.hidden_tests !== null);
  if (!named) return { code: 'other_repository' };
  if (access === 'write') return pushRefusal(task, request);
  return determineCascadeStage(task) === 'ended' && task.runner !== 'external'
    ? { code: 'task_ended' }
    : null;
}

function describeMintRefusal(refusal: MintRefusal, { task_id, repository }: CredentialRequest): string {
  switch (refusal.code) {
    case 'unknown_task':
      return `there is no task ${task_id}`;
    case 'other_repository':
      return `task ${task_id} is not about ${repository}`;
    case 'not_delivering':
      return `task ${task_id} is not to be delivered: it is at ${refusal.stage}`;
    case 'wrong_launch':
      return `this is not the launch that delivers task ${task_id}`;
    case 'push_not_approved':
      return `no leave was given to push for task ${task_id}`;
    case 'task_ended':
      return `task ${task_id} has ended`;
  }
}

/** GitHub takes a token as the password of this user. */
const basic = (token: string): string => `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

/** Makes what may be said to a repository: for reading, or for writing what has leave to be pushed. */
export async function mintCredential(
  request: CredentialRequest,
  context: MintCredentialContext,
): Promise<CredentialResponse> {
  const refusal = mintRefusal(await context.tasks.get(request.task_id), request);
  if (refusal !== null) return refused(describeMintRefusal(refusal, request));
  const { credentials } = await context.secret();
  const entry = findMostSpecificScope(credentials, request.repository);
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
