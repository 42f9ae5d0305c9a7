import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FakeGitHub } from '../../support/forge/fake-github.ts';
import type { Repository } from './repository.ts';

export interface PullRequestOptions {
  readonly title?: string;
  readonly body?: string;
  readonly author?: string;
  readonly type?: 'Bot' | 'User';
  readonly base?: string;
  readonly fork?: boolean;
  readonly draft?: boolean;
  readonly labels?: readonly string[];
}

/** Pull requests of authors elsewhere: commits under the refs that GitHub keeps for them, and what it says of each. */
export class PullRequests {
  readonly #repository: Repository;
  readonly #gitHub: FakeGitHub;
  readonly #folder: string;
  readonly #options = new Map<number, PullRequestOptions>();
  #second = 0;

  constructor(repository: Repository, gitHub: FakeGitHub) {
    this.#repository = repository;
    this.#gitHub = gitHub;
    this.#folder = join(repository.folder, 'author');
    repository.git('clone', '-q', repository.bare, this.#folder);
  }

  /** A second later with each call: forges tell times in whole seconds. */
  #now(): string {
    return new Date(Date.now() + 1_000 * this.#second++).toISOString().replace(/\.\d+/, '');
  }

  /** Commits files on the base, or on top of what the pull request has, and moves its ref. Returns the pull request as GitHub tells of it. */
  push(
    number: number,
    files: Readonly<Record<string, string>>,
    options: PullRequestOptions = {},
  ): PullRequest {
    const isNew = !this.#options.has(number);
    if (isNew) this.#options.set(number, options);
    const { base = 'main' } = this.#options.get(number) ?? {};
    const git = (...args: string[]): string => this.#repository.git('-C', this.#folder, ...args);
    git('fetch', '-q', 'origin', `+refs/heads/*:refs/remotes/origin/*`, '+refs/pull/*:refs/remotes/pull/*');
    git(
      'checkout',
      '-q',
      '--detach',
      isNew ? `refs/remotes/origin/${base}` : `refs/remotes/pull/${number}/head`,
    );
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.#folder, path)), { recursive: true });
      writeFileSync(join(this.#folder, path), text);
    }
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', `pull request ${number}`);
    git('push', '-q', 'origin', `HEAD:refs/pull/${number}/head`);
    return this.describe(number, git('rev-parse', 'HEAD'));
  }

  describe(number: number, sha: string): PullRequest {
    const of = this.#options.get(number) ?? {};
    const pull = {
      number,
      title: of.title ?? 'Make sum add',
      body: of.body ?? 'It subtracts.',
      user: { login: of.author ?? 'helpful[bot]', type: of.type ?? 'Bot' },
      labels: (of.labels ?? []).map((name) => ({ name })),
      draft: of.draft ?? false,
      state: 'open',
      updated_at: this.#now(),
      head: {
        ref: 'fix-sum',
        sha,
        repo: { full_name: of.fork ? 'stranger/shop' : 'acme/shop' },
      },
      base: { ref: of.base ?? 'main', repo: { full_name: 'acme/shop' } },
    };
    this.#gitHub.openPulls.set(number, pull);
    return pull;
  }
}

export interface PullRequest {
  readonly number: number;
  readonly updated_at: string;
  readonly head: { readonly sha: string };
}
