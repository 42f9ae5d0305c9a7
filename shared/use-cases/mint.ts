import { stageOf } from '../cascade/stage.ts';
import type { MintAnswer, MintRequest } from '../messages/mint.ts';
import type { GitHubApp, GitSecret } from '../repository/git-secret.ts';
import { longestScope } from '../repository/url.ts';
import type { TaskStore } from '../store/tasks.ts';
import type { Task } from '../task/task.ts';

export interface MintContext {
  readonly tasks: Pick<TaskStore, 'get'>;
  /** @throws Error that tells nothing of it, when it cannot be read. */
  readonly secret: () => Promise<GitSecret>;
  /** A token of an App's installation for one repository, or why there is none. */
  readonly installationToken: (
    app: GitHubApp,
    repository: string,
    access: MintRequest['access'],
  ) => Promise<{ readonly token: string } | Extract<MintAnswer, { outcome: 'refused' }>>;
}

const refused = (message: string): MintAnswer => ({ outcome: 'refused', message, transient: false });

/** Why a task is given no such credential; null when it is. Who asks is not believed: the task says what is due. */
function notDue(task: Task | null, { task_id, repository, access }: MintRequest): string | null {
  if (!task) return `there is no task ${task_id}`;
  // Where hidden tests lie is not on the task; that there are some is.
  const named = task.repository === repository || (access === 'read' && task.hidden_tests !== null);
  if (!named) return `task ${task_id} is not about ${repository}`;
  const stage = stageOf(task);
  if (access === 'write' && stage !== 'deliver')
    return `task ${task_id} is not to be delivered: it is at ${stage}`;
  return stage === 'ended' && task.runner === 'managed' ? `task ${task_id} has ended` : null;
}

/** GitHub takes a token as the password of this user. */
const basic = (token: string): string => `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

/** Makes what a box may say to a repository: for reading, or, when a passing verdict is to be delivered, for writing. */
export async function mint(request: MintRequest, context: MintContext): Promise<MintAnswer> {
  const why = notDue(await context.tasks.get(request.task_id), request);
  if (why !== null) return refused(why);
  const { credentials } = await context.secret();
  const entry = longestScope(credentials, request.repository);
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
