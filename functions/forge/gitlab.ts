import * as z from 'zod';
import type {
  CheckConclusion,
  CheckRun,
  CommentTarget,
  ForgeClient,
} from '../../shared/control/forge/forge.ts';
import { isGitLabBot, mergeRequestRef } from '../../shared/control/forge/gitlab-events.ts';
import { type ForgeRequester, fetchAllForgePages } from './forge-http.ts';

const Requests = z.array(z.object({ iid: z.number().int() }));
const Made = z.object({ iid: z.number().int() });
const Statuses = z.array(z.object({ name: z.string(), status: z.string() }));
const Notes = z.array(z.object({ id: z.number(), body: z.string(), author: z.object({ id: z.number() }) }));
const User = z.object({ id: z.number() });
const Labelled = z.object({ labels: z.array(z.string()) });
const MergeRequest = z.object({
  iid: z.number().int().positive(),
  title: z.string(),
  description: z.string().nullish(),
  author: z.object({ username: z.string() }),
  labels: z.array(z.string()).default([]),
  draft: z.boolean().default(false),
  state: z.string(),
  sha: z.string(),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.number(),
  target_project_id: z.number(),
});
const IssueText = z.object({
  title: z.string(),
  description: z.string().nullish(),
  confidential: z.boolean().default(false),
});
const Members = z.array(z.object({ username: z.string(), access_level: z.number() }));
/** GitLab's access level of a Developer, who may push to branches that are not protected. */
const DEVELOPER = 30;

/** GitLab knows no annotations of a commit; what there is to say stands in the comment. What waits or is unverified is no success. */
const STATES: Readonly<Record<CheckConclusion, string>> = {
  success: 'success',
  neutral: 'pending',
  action_required: 'pending',
  failure: 'failed',
  cancelled: 'canceled',
};

/** GitLab as it documents its REST API v4. `repo`: path of the project. */
export function createGitLabForge(ask: ForgeRequester, repo: string): ForgeClient {
  const at = `/projects/${encodeURIComponent(repo)}`;
  const of = ({ kind, number }: CommentTarget): string =>
    `${at}/${kind === 'issue' ? 'issues' : 'merge_requests'}/${number}`;

  const find = async (branch: string): Promise<number | null> => {
    const { body } = await ask(
      'GET',
      `${at}/merge_requests?source_branch=${encodeURIComponent(branch)}&state=all&per_page=1`,
    );
    return Requests.parse(body)[0]?.iid ?? null;
  };

  return {
    async openChangeRequest({ branch, base, title, body }) {
      const there = await find(branch);
      if (there !== null) return there;
      const made = await ask(
        'POST',
        `${at}/merge_requests`,
        { source_branch: branch, target_branch: base, title, description: body },
        [409, 422],
      );
      return made.status >= 400 ? find(branch) : Made.parse(made.body).iid;
    },

    async publishCheckRun({ name, commit, conclusion, title }: CheckRun) {
      const { body } = await ask(
        'GET',
        `${at}/repository/commits/${commit}/statuses?name=${encodeURIComponent(name)}&per_page=1`,
      );
      const state = STATES[conclusion];
      // To say the same state again is refused: a state leads to another one.
      if (Statuses.parse(body)[0]?.status === state) return;
      const said = { state, name, description: title.slice(0, 255) };
      await ask('POST', `${at}/statuses/${commit}`, said);
    },

    async readChangeRequest(number) {
      const { status, body } = await ask('GET', `${at}/merge_requests/${number}`, undefined, [404]);
      if (status === 404) return null;
      const request = MergeRequest.parse(body);
      return {
        number: request.iid,
        title: request.title,
        body: request.description ?? '',
        author: request.author.username,
        author_kind: isGitLabBot(request.author.username) ? 'bot' : 'person',
        labels: request.labels,
        is_draft: request.draft,
        is_open: request.state === 'opened',
        from_fork: request.source_project_id !== request.target_project_id,
        branch: request.source_branch,
        base: request.target_branch,
        head_commit: request.sha,
        head_ref: mergeRequestRef(request.iid),
      };
    },

    async readIssue(number) {
      const { status, body } = await ask('GET', `${at}/issues/${number}`, undefined, [404]);
      if (status === 404) return null;
      const { title, description, confidential } = IssueText.parse(body);
      // The token may read it; those who read the pull request and its comments may not.
      return confidential ? null : { title, body: description ?? '' };
    },

    // Its events tell of no review that requests changes.
    listReviewComments: () => Promise.resolve([]),

    async canWrite(login) {
      const { body } = await ask('GET', `${at}/members/all?query=${encodeURIComponent(login)}&per_page=100`);
      return Members.parse(body).some(
        ({ username, access_level }) => username === login && access_level >= DEVELOPER,
      );
    },

    async upsertComment(place, marker, body) {
      const me = User.parse((await ask('GET', '/user')).body).id;
      const rows = Notes.parse(await fetchAllForgePages(ask, `${of(place)}/notes?sort=asc`));
      const [first, ...more] = rows.filter((row) => row.author.id === me && row.body.startsWith(marker));
      if (first === undefined) await ask('POST', `${of(place)}/notes`, { body });
      else if (first.body !== body) await ask('PUT', `${of(place)}/notes/${first.id}`, { body });
      for (const { id } of more) await ask('DELETE', `${of(place)}/notes/${id}`, undefined, [404]);
    },

    async updateLabels(place, on, off) {
      const has = new Set(Labelled.parse((await ask('GET', of(place))).body).labels);
      const add = on.filter((label) => !has.has(label));
      const remove = off.filter((label) => has.has(label));
      if (add.length + remove.length === 0) return;
      await ask('PUT', of(place), {
        ...(add.length > 0 && { add_labels: add.join(',') }),
        ...(remove.length > 0 && { remove_labels: remove.join(',') }),
      });
    },
  };
}
