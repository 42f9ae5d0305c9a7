import * as z from 'zod';
import type {
  CheckConclusion,
  CheckRun,
  CommentTarget,
  ForgeClient,
} from '../../shared/control/forge/forge.ts';
import { type ForgeRequester, fetchAllForgePages } from './forge-http.ts';

const Requests = z.array(z.object({ iid: z.number().int() }));
const Made = z.object({ iid: z.number().int() });
const Statuses = z.array(z.object({ name: z.string(), status: z.string() }));
const Notes = z.array(z.object({ id: z.number(), body: z.string(), author: z.object({ id: z.number() }) }));
const User = z.object({ id: z.number() });
const Labelled = z.object({ labels: z.array(z.string()) });

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

    async publishCheckRun({ commit, conclusion, title }: CheckRun) {
      const { body } = await ask('GET', `${at}/repository/commits/${commit}/statuses?name=Assay&per_page=1`);
      const state = STATES[conclusion];
      // To say the same state again is refused: a state leads to another one.
      if (Statuses.parse(body)[0]?.status === state) return;
      const said = { state, name: 'Assay', description: title.slice(0, 255) };
      await ask('POST', `${at}/statuses/${commit}`, said);
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
