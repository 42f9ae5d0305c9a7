import type { RouteName } from '../../shared/api/routes.ts';
import type { Json } from './schemas.ts';

/** Examples of request bodies; a test parses each with its route's schema. */
export const BODY_EXAMPLES: Partial<Record<RouteName, Readonly<Record<string, Json>>>> = {
  submitTask: {
    least: { title: 'Fix the flaky login test', repository: 'https://github.com/example/shop.git' },
    full: {
      id: 'login-test',
      title: 'Fix the flaky login test',
      description: 'test/login.test.ts fails about once in ten runs.',
      role: 'backend',
      priority: 1,
      scope: 'small',
      complexity: 'medium',
      repository: 'https://github.com/example/shop.git',
      base_ref: 'main',
      depends_on: [],
      files: ['src/login.ts', 'test/login.test.ts'],
      completion_signals: [
        { type: 'test_passes', command: 'npm test -- login' },
        { type: 'file_contains', path: 'src/login.ts', regex: 'await +session' },
      ],
      acceptance_criteria: ['The test passes fifty times in a row'],
      model: 'haiku',
      budget: { max_attempts: 3, max_cost_usd: 2.5 },
    },
  },
  submitBatch: {
    chain: {
      tasks: [
        { id: 'schema', title: 'Add the column', repository: 'https://github.com/example/shop.git' },
        {
          id: 'form',
          title: 'Show it in the form',
          repository: 'https://github.com/example/shop.git',
          base_ref: 'assay/schema',
          depends_on: ['schema'],
        },
      ],
    },
  },
  claimTask: { named: { model: 'claude-sonnet-5-5' } },
  progress: { half: { message: 'tests written, now the fix', percent: 50 } },
  fail: { blocked: { reason: 'the repository needs a VPN', failure_code: 'agent_blocked' } },
  cancel: { because: { reason: 'done by hand' } },
  retry: { because: { reason: 'the registry is back' } },
  review: {
    approve: {
      decision: 'approve',
      reason: 'read it; the missing linter is known',
      tree: '3b18e512dba79e4c8300dd08aeb37f8e728b8dad',
    },
  },
};
