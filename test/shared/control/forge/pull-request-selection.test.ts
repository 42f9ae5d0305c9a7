import { describe, expect, it } from 'vitest';
import type { ForgeChangeRequest } from '../../../../shared/control/forge/forge.ts';
import { ForgeSetting } from '../../../../shared/control/forge/forge-settings.ts';
import { isGitLabBot, parseGitLabEvent } from '../../../../shared/control/forge/gitlab-events.ts';
import { pullRequestSelectionReason } from '../../../../shared/control/forge/pull-request-tasks.ts';

const change: ForgeChangeRequest = {
  number: 7,
  title: 'Round up',
  body: '',
  author: 'ada',
  author_kind: 'person',
  labels: [],
  is_draft: false,
  is_open: true,
  from_fork: false,
  branch: 'agents/round',
  base: 'main',
  head_commit: 'a'.repeat(40),
  head_ref: 'refs/pull/7/head',
};

describe('selection of a pull request', () => {
  it('goes by the branch name only in the repository itself', () => {
    const setting = ForgeSetting.parse({
      url: 'https://github.com/acme',
      forge: 'github',
      pull_requests: { branches: ['agents/**'] },
    });
    expect(pullRequestSelectionReason(change, setting)).toBe('branch agents/round');
    expect(pullRequestSelectionReason({ ...change, from_fork: true }, setting)).toBeNull();
  });

  it.each([
    ['project_7_bot_0a1b', true],
    ['group_7_bot', true],
    ['helpful-bot', false],
    ['x[bot]', false],
    ['my_project_7_bot', false],
  ])('takes only names that GitLab gives for bots: %s', (name, isBot) => {
    expect(isGitLabBot(name)).toBe(isBot);
  });

  it('sees every label that an update of a merge request adds', () => {
    const { action } = parseGitLabEvent(
      {},
      {
        object_kind: 'merge_request',
        user: { username: 'ada' },
        project: { git_http_url: 'https://gitlab.test/acme/shop.git' },
        labels: [{ title: 'bug' }, { title: 'assay' }],
        changes: { labels: { previous: [], current: [{ title: 'bug' }, { title: 'assay' }] } },
        object_attributes: {
          ...{ iid: 3, action: 'update', title: 'Round up', source_branch: 'round', target_branch: 'main' },
          ...{ source_project_id: 1, target_project_id: 1, updated_at: '2026-11-20 10:00:00 UTC' },
          last_commit: { id: 'a'.repeat(40) },
        },
      },
      'assay',
    );
    expect(action).toMatchObject({ kind: 'pull_request', added_labels: ['bug', 'assay'] });
  });
});
