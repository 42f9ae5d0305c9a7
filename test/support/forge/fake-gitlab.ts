import type { ForgeScript } from './scripted-forge.ts';

const ID = 7;

/** What of GitLab's REST API v4 we ask for one project, of which everything is about one request or one issue. */
export class FakeGitLab {
  readonly requests: { iid: number; source_branch: string; target_branch: string; description: string }[] =
    [];
  readonly statuses: { commit: string; name: string; status: string }[] = [];
  readonly notes: { id: number; body: string; author: { id: number }; at: string }[] = [];
  readonly issues = new Map<number, { title: string; description: string; confidential?: boolean }>();
  readonly labels = new Map<string, string[]>();
  /** Merge requests of others, as GitLab answers with them. */
  readonly openRequests = new Map<number, object>();
  /** Access levels of members, by login. */
  readonly members = new Map<string, number>();
  readonly #project: string;

  constructor(project: string) {
    this.#project = project;
  }

  readonly script: ForgeScript = ({ method, path, query, body, token }) => {
    if (token !== 'glpat') return [401];
    if (path === '/user') return [200, { id: ID }];
    const [, under] = path.split(`/projects/${this.#project}`);
    if (under === undefined) return null;
    const of = (part: string): string => String(body[part] ?? '');
    const [, what = '', number = '', last = '', note = ''] = under.split('/');
    const place = `${what}/${number}`;
    const route = `${method} ${what}${last && `/${last}`}`;
    switch (route) {
      case 'GET merge_requests':
        return number === ''
          ? [200, this.requests.filter((each) => each.source_branch === query.get('source_branch'))]
          : [200, { ...this.openRequests.get(Number(number)), labels: this.labels.get(place) ?? [] }];
      case 'GET members':
        return [
          200,
          [...this.members]
            .filter(([username]) => username.includes(query.get('query') ?? ''))
            .map(([username, access_level]) => ({ username, access_level })),
        ];
      case 'GET issues':
        return [200, { labels: this.labels.get(place) ?? [], ...this.issues.get(Number(number)) }];
      case 'POST merge_requests':
        this.requests.push({
          iid: 5,
          source_branch: of('source_branch'),
          target_branch: of('target_branch'),
          description: of('description'),
        });
        return [201, { iid: 5 }];
      case 'POST statuses':
        this.statuses.push({ commit: number, name: of('name'), status: of('state') });
        return [201, {}];
      case 'GET merge_requests/notes':
      case 'GET issues/notes':
        return [200, query.get('page') === '1' ? this.notes.filter(({ at }) => at === place) : []];
      case 'POST merge_requests/notes':
      case 'POST issues/notes':
        this.notes.push({ id: this.notes.length, body: of('body'), author: { id: ID }, at: place });
        return [201, {}];
      case 'PUT merge_requests/notes':
      case 'PUT issues/notes': {
        const found = this.notes.find(({ id }) => id === Number(note));
        if (found) found.body = of('body');
        return [200, {}];
      }
      case 'PUT merge_requests':
      case 'PUT issues': {
        const off = of('remove_labels').split(',');
        const left = (this.labels.get(place) ?? []).filter((each) => !off.includes(each));
        this.labels.set(place, [...left, ...of('add_labels').split(',').filter(Boolean)]);
        return [200, {}];
      }
      default: {
        const [, commit] = /^\/repository\/commits\/([0-9a-f]{40})\/statuses$/.exec(under) ?? [];
        if (method !== 'GET' || commit === undefined) return null;
        const found = this.statuses.filter(
          (each) => each.commit === commit && each.name === query.get('name'),
        );
        return [200, found.slice(-1)];
      }
    }
  };
}
