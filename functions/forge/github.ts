import * as z from 'zod';
import type { CheckRun, CommentTarget, ForgeClient } from '../../shared/control/forge/forge.ts';
import { readGitHubPullRequest } from '../../shared/control/forge/github-events.ts';
import { type ForgeRequester, fetchAllForgePages } from './forge-http.ts';

/** So many annotations GitHub takes at once; further ones are added to those that are there. */
const ANNOTATIONS = 50;

const Pulls = z.array(z.object({ number: z.number().int() }));
const Made = z.object({ number: z.number().int() });
const Run = z.object({
  id: z.number(),
  external_id: z.string().nullish(),
  conclusion: z.string().nullish(),
  output: z.object({ annotations_count: z.number().int() }),
});
const Runs = z.object({ check_runs: z.array(Run) });
const Comments = z.array(
  z.object({
    id: z.number(),
    body: z.string().nullish(),
    user: z.object({ id: z.number(), type: z.string().optional() }).nullish(),
  }),
);
const User = z.object({ id: z.number() });
const Labels = z.array(z.object({ name: z.string() }));
const IssueText = z.object({
  title: z.string(),
  body: z.string().nullish(),
  pull_request: z.looseObject({}).nullish(),
});
const ReviewComments = z.array(
  z.object({
    path: z.string(),
    line: z.number().int().nullish(),
    original_line: z.number().int().nullish(),
    body: z.string(),
  }),
);
const Permission = z.object({ permission: z.string() });

const annotation = ({ path, line, level, title, message }: CheckRun['annotations'][number]): object => ({
  path,
  start_line: line,
  end_line: line,
  annotation_level: level,
  title,
  message,
});

/** GitHub as it documents its REST API 2022-11-28. `repo`: `owner/name`. `bot`: whether we speak as an App. */
export function createGitHubForge(ask: ForgeRequester, repo: string, bot: boolean): ForgeClient {
  const at = `/repos/${repo}`;
  const owner = repo.split('/', 1)[0] ?? '';
  const issue = ({ number }: CommentTarget): string => `${at}/issues/${number}`;

  const find = async (branch: string): Promise<number | null> => {
    const head = encodeURIComponent(`${owner}:${branch}`);
    const { body } = await ask('GET', `${at}/pulls?head=${head}&state=all&per_page=1`);
    return Pulls.parse(body)[0]?.number ?? null;
  };

  /** Adds what is not there yet: how many there are GitHub counts, so that a call that was lost is gone on with. */
  const annotate = async (run: z.infer<typeof Run>, check: CheckRun, output: object): Promise<void> => {
    for (let from = run.output.annotations_count; from < check.annotations.length; from += ANNOTATIONS)
      await ask('PATCH', `${at}/check-runs/${run.id}`, {
        output: { ...output, annotations: check.annotations.slice(from, from + ANNOTATIONS).map(annotation) },
      });
  };

  return {
    async openChangeRequest({ branch, base, title, body }) {
      const there = await find(branch);
      if (there !== null) return there;
      const made = await ask('POST', `${at}/pulls`, { title, head: branch, base, body }, [422]);
      // Another was quicker, or there is nothing between the two branches any more.
      return made.status === 422 ? find(branch) : Made.parse(made.body).number;
    },

    async publishCheckRun(check) {
      // `latest` would hide the check of an earlier task, which would then be made anew and become the latest.
      const query = `check_name=${encodeURIComponent(check.name)}&filter=all&per_page=100`;
      const { body } = await ask('GET', `${at}/commits/${check.commit}/check-runs?${query}`);
      const there = Runs.parse(body).check_runs.find(({ external_id }) => external_id === check.id);
      const output = { title: check.title, summary: check.summary };
      const said = { status: 'completed', conclusion: check.conclusion };
      if (there) {
        if (there.conclusion !== check.conclusion)
          await ask('PATCH', `${at}/check-runs/${there.id}`, { ...said, output });
        await annotate(there, check, output);
        return;
      }
      const made = await ask('POST', `${at}/check-runs`, {
        name: check.name,
        head_sha: check.commit,
        external_id: check.id,
        ...said,
        output: { ...output, annotations: check.annotations.slice(0, ANNOTATIONS).map(annotation) },
      });
      await annotate(Run.parse(made.body), check, output);
    },

    async readChangeRequest(number) {
      const { status, body } = await ask('GET', `${at}/pulls/${number}`, undefined, [404]);
      return status === 404 ? null : readGitHubPullRequest(body);
    },

    async readIssue(number) {
      const { status, body } = await ask('GET', `${at}/issues/${number}`, undefined, [404, 410]);
      if (status !== 200) return null;
      const { title, body: text, pull_request } = IssueText.parse(body);
      return pull_request ? null : { title, body: text ?? '' };
    },

    async listReviewComments(number, review) {
      const rows = await fetchAllForgePages(ask, `${at}/pulls/${number}/reviews/${review}/comments`);
      return ReviewComments.parse(rows).map(({ path, line, original_line, body }) => ({
        path,
        line: line ?? original_line ?? null,
        body,
      }));
    },

    async canWrite(login) {
      const path = `${at}/collaborators/${encodeURIComponent(login)}/permission`;
      const { status, body } = await ask('GET', path, undefined, [404]);
      // The legacy field: `maintain` is told as `write`, and `triage` as `read`.
      return status === 200 && ['admin', 'write'].includes(Permission.parse(body).permission);
    },

    async upsertComment(place, marker, body) {
      const rows = Comments.parse(await fetchAllForgePages(ask, `${issue(place)}/comments`));
      const me = bot ? null : User.parse((await ask('GET', '/user')).body).id;
      // Of another person it would be theirs, whatever it begins with.
      const isOurs = (user: (typeof rows)[number]['user']): boolean =>
        me === null ? user?.type === 'Bot' : user?.id === me;
      const [first, ...more] = rows.filter((row) => isOurs(row.user) && row.body?.startsWith(marker));
      if (first === undefined) await ask('POST', `${issue(place)}/comments`, { body });
      else if (first.body !== body) await ask('PATCH', `${at}/issues/comments/${first.id}`, { body });
      // Two that were made at the same moment.
      for (const { id } of more) await ask('DELETE', `${at}/issues/comments/${id}`, undefined, [404]);
    },

    async updateLabels(place, on, off) {
      const { body } = await ask('GET', `${issue(place)}/labels?per_page=100`);
      const has = new Set(Labels.parse(body).map(({ name }) => name));
      const add = on.filter((label) => !has.has(label));
      if (add.length > 0) await ask('POST', `${issue(place)}/labels`, { labels: add });
      for (const label of off.filter((each) => has.has(each)))
        await ask('DELETE', `${issue(place)}/labels/${encodeURIComponent(label)}`, undefined, [404]);
    },
  };
}
