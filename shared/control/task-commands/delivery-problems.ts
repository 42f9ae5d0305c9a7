import { findMostSpecificScope } from '../../contract/repository/repository-url.ts';
import type { TaskSubmission } from '../../contract/submission/schema.ts';
import type { SubmissionProblem } from './adapter-problems.ts';
import { parseFullCommitId } from './base-commit.ts';

/** Why work cannot leave as its task wants it to; empty when it can. `forges`: URL prefixes of repositories that pull requests are opened for. */
export function findDeliveryProblems(
  { delivery, base_ref, repository }: TaskSubmission,
  forges: readonly string[],
): SubmissionProblem[] {
  if (delivery === undefined || delivery === 'branch') return [];
  if (parseFullCommitId(base_ref) !== null)
    return [
      {
        pointer: '/base_ref',
        message: `is a commit; ${delivery} needs the branch that the work is to go to`,
      },
    ];
  return delivery === 'pull_request' &&
    findMostSpecificScope(
      forges.map((url) => ({ url })),
      repository,
    ) === null
    ? [
        {
          pointer: '/delivery',
          message:
            'nobody is known here who takes pull requests for this repository (assay:forges); use branch or merge_queue',
        },
      ]
    : [];
}
