import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../../shared/contract/refusal.ts';
import { ForgeSettings } from '../../../../shared/control/forge/forge-settings.ts';
import { ForgeDeployment, sha } from '../../../support/forge/forge-deployment.ts';

type Example = Readonly<Record<string, unknown>>;

/** Events as GitHub publishes them. */
const EVENTS = createRequire(import.meta.url)('@octokit/webhooks-examples/api.github.com/index.json') as {
  readonly name: string;
  readonly examples: readonly Example[];
}[];

/** A deployment that takes every pull request, and issues with the label `bug`. */
function deploymentForExamples(authors: readonly string[]): ForgeDeployment {
  const deployment = new ForgeDeployment({
    ...{ number: 2, title: 'Update the README', body: '', author: 'Codertocat', author_kind: 'person' },
    ...{ labels: [], is_draft: false, is_open: true, from_fork: false, branch: 'changes', base: 'master' },
    ...{ head_commit: sha(1), head_ref: 'refs/pull/2/head' },
  });
  deployment.settings = ForgeSettings.parse(
    ['https://github.com/Codertocat', 'https://github.com/octo-org'].map((url) => ({
      ...{ url, forge: 'github', label: 'bug' },
      pull_requests: { authors, labels: [] },
    })),
  );
  deployment.pushScopes = [];
  return deployment;
}

const deliver = (name: string, example: Example, authors: readonly string[]) => {
  const deployment = deploymentForExamples(authors);
  return deployment
    .hear(name, { ...example, repository: example['repository'] })
    .then(({ outcome, reason }) => `${outcome}: ${reason}`)
    .catch((error: unknown) => {
      if (error instanceof Refusal) return `refused: ${error.code}`;
      throw error;
    });
};

/** What an example may lead to; every other one is ignored. */
const TAKEN: Readonly<Record<string, RegExp>> = {
  'issues labeled': /^done: made a task$/,
  'pull_request opened': /^done: verifies a pull request$/,
  'pull_request synchronize': /^done: verifies a pull request$/,
  'pull_request reopened': /^done: verifies a pull request$/,
  'pull_request ready_for_review': /^done: verifies a pull request$/,
  'merge_group checks_requested': /^done: verifies a pull request$/,
};

describe('the examples of events that GitHub publishes', () => {
  it('are all there', () => {
    expect(EVENTS.length).toBeGreaterThan(50);
    for (const name of ['issues', 'issue_comment', 'pull_request', 'pull_request_review', 'merge_group'])
      expect(EVENTS.map((each) => each.name)).toContain(name);
  });

  it.each(EVENTS)(
    'of $name make the task that they are about, or are ignored',
    async ({ name, examples }) => {
      for (const example of examples) {
        const kind = [name, example['action']].filter(Boolean).join(' ');
        expect(`${kind}: ${await deliver(name, example, ['everyone'])}`).toMatch(
          new RegExp(`^${kind}: ${(TAKEN[kind]?.source ?? '^ignored: .*').slice(1)}`),
        );
      }
    },
  );

  it('make no task where the settings select none', async () => {
    for (const { name, examples } of EVENTS)
      for (const example of examples)
        if (name !== 'issues') expect(await deliver(name, example, [])).toMatch(/^ignored: /);
  });
});
