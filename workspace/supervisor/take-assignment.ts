import { requestWithRetries } from '../../shared/api/http-client.ts';
import type { LaunchAssignment } from '../../shared/contract/messages/assignment.ts';

/** How a bucket says that nothing is there, also to whom it would not say so. */
const GONE: readonly number[] = [403, 404];

/**
 * Fetches the assignment and removes it. Its URL stands in what AWS tells of this box, and the token is in it: before a command of
 * the repository runs, nothing must be there to be found. Null: it is gone, or its URL is too old.
 */
export async function fetchAndRemoveAssignment<Kind extends LaunchAssignment['kind']>(
  kinds: Kind | readonly Kind[],
  url: string,
): Promise<Extract<LaunchAssignment, { kind: Kind }> | null> {
  const answer = await requestWithRetries(url, { method: 'GET' });
  if (GONE.includes(answer.status)) return null;
  if (answer.status !== 200) throw new Error(`the assignment cannot be read: HTTP ${answer.status}`);
  // The dispatcher of this deployment has checked it against the schema when it wrote it; doing so again would load every
  // schema that a task has, at each start of a box. What can differ is the version.
  const assignment = JSON.parse(answer.body.toString('utf8')) as Partial<LaunchAssignment>;
  if (assignment.schema_version !== 1)
    throw new Error(`this box knows assignments of version 1, not ${String(assignment.schema_version)}`);
  const wanted: readonly unknown[] = [kinds].flat();
  if (!wanted.includes(assignment.kind))
    throw new Error(
      `this box is for ${wanted.join(' or ')}, but the assignment is for ${String(assignment.kind)}`,
    );
  const forgotten = await requestWithRetries(String(assignment.delete_url), { method: 'DELETE' });
  if (forgotten.status >= 300) throw new Error(`the assignment cannot be removed: HTTP ${forgotten.status}`);
  return assignment as Extract<LaunchAssignment, { kind: Kind }>;
}
