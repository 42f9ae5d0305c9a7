import { request } from '../../shared/api/http.ts';
import type { Assignment } from '../../shared/messages/assignment.ts';
import { BOX_ENV } from '../../shared/names.ts';

/**
 * Fetches the assignment and removes it. Its URL stands in what ECS tells of this container, and the token is in it: before a command of
 * the repository runs, nothing must be there to be found.
 */
export async function readAssignment<Kind extends Assignment['kind']>(
  kind: Kind,
): Promise<Extract<Assignment, { kind: Kind }>> {
  const url = process.env[BOX_ENV.assignmentUrl];
  if (!url) throw new Error(`${BOX_ENV.assignmentUrl} is not set`);
  delete process.env[BOX_ENV.assignmentUrl];
  const answer = await request(url, { method: 'GET' });
  if (answer.status !== 200) throw new Error(`the assignment cannot be read: HTTP ${answer.status}`);
  // The dispatcher of this deployment has checked it against the schema when it wrote it; doing so again would load every
  // schema that a task has, at each start of a box. What can differ is the version.
  const assignment = JSON.parse(answer.body.toString('utf8')) as Partial<Assignment>;
  if (assignment.schema_version !== 1)
    throw new Error(`this box knows assignments of version 1, not ${String(assignment.schema_version)}`);
  if (assignment.kind !== kind)
    throw new Error(`this box is for ${kind}, but the assignment is for ${String(assignment.kind)}`);
  const forgotten = await request(String(assignment.forget_url), { method: 'DELETE' });
  if (forgotten.status >= 300) throw new Error(`the assignment cannot be removed: HTTP ${forgotten.status}`);
  return assignment as Extract<Assignment, { kind: Kind }>;
}
