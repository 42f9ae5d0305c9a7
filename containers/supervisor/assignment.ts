import { request } from '../../shared/api/http.ts';
import { Assignment } from '../../shared/messages/assignment.ts';
import { BOX_ENV } from '../../shared/names.ts';

/** Fetches the assignment and forgets where it was: the URL is a credential, and commands run in this container next. */
export async function readAssignment<Kind extends Assignment['kind']>(
  kind: Kind,
): Promise<Extract<Assignment, { kind: Kind }>> {
  const url = process.env[BOX_ENV.assignmentUrl];
  if (!url) throw new Error(`${BOX_ENV.assignmentUrl} is not set`);
  delete process.env[BOX_ENV.assignmentUrl];
  const answer = await request(url, { method: 'GET' });
  if (answer.status !== 200) throw new Error(`the assignment cannot be read: HTTP ${answer.status}`);
  const assignment = Assignment.parse(JSON.parse(answer.body.toString('utf8')));
  if (assignment.kind !== kind)
    throw new Error(`this box is for ${kind}, but the assignment is for ${assignment.kind}`);
  return assignment as Extract<Assignment, { kind: Kind }>;
}
