import { PLAN_FILE } from '../../contract/plan/schema.ts';
import { EXPECTED_CHANGE_KINDS } from '../../contract/submission/expected-changes.ts';

/** What a planner must hand in: the contract that its plan is checked against. */
export const planFormatPrompt = (maxTasks: number): string => `## What to hand in
Write your plan to \`${PLAN_FILE}\` and change nothing else. It has 1 to ${maxTasks} tasks:

\`\`\`yaml
tasks:
  - key: add-rounding            # lower-case letters, digits, "-"; others name it in depends_on
    title: Round prices half to even
    description: |
      What to do and why, for somebody who has not seen this plan.
    role: backend
    priority: 2                  # 1 critical, 2 normal, 3 nice to have
    scope: small                 # small, medium, large
    complexity: low              # low, medium, high
    depends_on: []               # keys of tasks whose result it needs
    files: [src/price.js]        # files or folders of the present checkout that it changes
    new_files: [test/price.test.js] # files that it adds
    expected_changes: []         # of: ${EXPECTED_CHANGE_KINDS.join(', ')}
    completion_signals:          # at least one that fails today
      - { type: test_passes, command: node --test test/price.test.js }
      - { type: path_exists, path: test/price.test.js }
      - { type: file_contains, path: src/price.js, contains: roundHalfEven }
    acceptance_criteria:
      - 0.125 becomes 0.12
\`\`\`

## How it will be checked
By code, on the commit that you see: every field above and no other; no cycle; each of \`files\` is there and none of \`new_files\`; roles that are known; and each
task has at least one signal that fails on this commit. Signals are run. A person then decides whether the tasks are made.
`;
