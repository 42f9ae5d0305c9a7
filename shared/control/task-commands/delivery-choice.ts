import { longestScope } from '../../contract/repository/url.ts';
import type { SubmitTask } from '../../contract/submission/schema.ts';
import type { Problem } from './adapter-choice.ts';
import { namedCommit } from './base.ts';

/** Why work cannot leave as its task wants it to; empty when it can. `forges`: URL prefixes of repositories that pull requests are opened for. */
export function deliveryProblems(
  { delivery, base_ref, repository }: SubmitTask,
  forges: readonly string[],
): Problem[] {
  if (delivery === undefined || delivery === 'branch') return [];
  if (namedCommit(base_ref) !== null)
    return [
      {
        pointer: '/base_ref',
        message: `is a commit; ${delivery} needs the branch that the work is to go to`,
      },
    ];
  return delivery === 'pull_request' &&
    longestScope(
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
