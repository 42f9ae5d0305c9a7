import type { ForgeScript } from './scripted-forge.ts';

interface Run {
  id: number;
  external_id: string;
  name: string;
  head_sha: string;
  conclusion: string;
  output: { title: string; summary: string; annotations_count: number };
}

/** What of GitHub's REST API we ask for one repository, with its limits. */
export class FakeGitHub {
  readonly pulls: { number: number; head: string; base: string; title: string; body: string }[] = [];
  readonly runs: Run[] = [];
  readonly annotations: unknown[] = [];
  readonly comments: { id: number; body: string; issue: number; user: { id: number; type: string } }[] = [];
  readonly labels = new Map<number, Set<string>>();
  /** Pull requests of others, as GitHub answers with them. */
  readonly openPulls = new Map<number, object>();
  readonly issues = new Map<number, { title: string; body: string }>();
  /** The comments of every review on places in the code. */
  readonly reviewComments: { path: string; line: number | null; body: string }[] = [];
  /** What collaborators may do, by login. */
  readonly permissions = new Map<string, string>();
  #next = 100;
  readonly #accepts: (token: string) => boolean;

  constructor(accepts: (token: string) => boolean = (token) => token === 'token-of-ours') {
    this.#accepts = accepts;
  }

  readonly script: ForgeScript = ({ method, path, query, body, token }) => {
    if (!this.#accepts(token)) return [401, { message: 'Bad credentials' }];
    const at = path.replace(/^\/repos\/acme\/shop/, '');
    if (path === '/user') return [200, { id: 7 }];
    const route = `${method} ${at.replace(/[0-9a-f]{40}/, 'SHA').replace(/\/\d+/g, '/N')}`;
    const number = Number(/\/(\d+)/.exec(at)?.[1] ?? 0);
    if (route === 'GET /pulls') {
      const found = this.pulls.filter(({ head }) => query.get('head') === `acme:${head}`);
      return [200, found.map((each) => ({ number: each.number }))];
    }
    const pull = this.openPulls.get(number);
    if (route === 'GET /pulls/N') return pull ? [200, pull] : [404, { message: 'Not Found' }];
    const issue = this.issues.get(number);
    if (route === 'GET /issues/N') return issue ? [200, issue] : [404, { message: 'Not Found' }];
    if (route === 'GET /pulls/N/reviews/N/comments')
      return [200, query.get('page') === '1' ? this.reviewComments : []];
    const [, login] = /^GET \/collaborators\/([^/]+)\/permission$/.exec(route) ?? [];
    if (login !== undefined) return [200, { permission: this.permissions.get(login) ?? 'read' }];
    if (route === 'POST /pulls') {
      if (this.pulls.some(({ head }) => head === body['head']))
        return [422, { message: 'Validation Failed' }];
      const made = { number: this.#next++, ...body } as (typeof this.pulls)[number];
      this.pulls.push(made);
      return [201, { number: made.number }];
    }
    if (route === 'GET /commits/SHA/check-runs') {
      const wanted = query.get('check_name');
      const runs = this.runs.filter(
        ({ head_sha, name }) => at.includes(head_sha) && (wanted === null || name === wanted),
      );
      return [200, { check_runs: query.get('filter') === 'all' ? runs : runs.slice(-1) }];
    }
    if (route === 'POST /check-runs') return this.#run(body, null);
    if (route === 'PATCH /check-runs/N')
      return this.#run(body, this.runs.find(({ id }) => id === number) ?? null);
    if (route === 'GET /issues/N/comments')
      return [
        200,
        query.get('page') === '1'
          ? this.comments.flatMap(({ issue: on, ...comment }) => (on === number ? [comment] : []))
          : [],
      ];
    if (route === 'POST /issues/N/comments') {
      this.comments.push({
        id: this.#next++,
        issue: number,
        body: String(body['body']),
        user: { id: 7, type: 'Bot' },
      });
      return [201, {}];
    }
    const comment = this.comments.find(({ id }) => id === number);
    if (route === 'PATCH /issues/comments/N' && comment) {
      comment.body = String(body['body']);
      return [200, {}];
    }
    if (route === 'DELETE /issues/comments/N' && comment) {
      this.comments.splice(this.comments.indexOf(comment), 1);
      return [204];
    }
    const labels = this.labels.get(number) ?? new Set<string>();
    if (route === 'GET /issues/N/labels') return [200, [...labels].map((name) => ({ name }))];
    if (route === 'POST /issues/N/labels') {
      this.labels.set(number, new Set([...labels, ...(body['labels'] as string[])]));
      return [200, []];
    }
    const label = /^\/issues\/\d+\/labels\/(.+)$/.exec(at)?.[1];
    if (method === 'DELETE' && label !== undefined) return labels.delete(label) ? [200, []] : [404, {}];
    return null;
  };

  #run(body: Record<string, unknown>, there: Run | null): readonly [number, unknown] {
    const { annotations = [], ...output } = body['output'] as Run['output'] & { annotations?: unknown[] };
    if (annotations.length > 50) return [422, { message: 'No more than 50 annotations' }];
    const run = there ?? ({ id: this.#next++, output: { annotations_count: 0 } } as Run);
    if (!there) this.runs.push(run);
    this.annotations.push(...annotations);
    const annotations_count = run.output.annotations_count + annotations.length;
    Object.assign(run, body, { output: { ...output, annotations_count } });
    return [there ? 200 : 201, run];
  }
}
