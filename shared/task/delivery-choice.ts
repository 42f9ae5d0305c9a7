import { forgeOf } from '../repository/forge.ts';
import type { Problem } from './adapter-choice.ts';
import { namedCommit } from './commands/base.ts';
import type { SubmitTask } from './schema.ts';

/** Why work cannot leave as its task wants it to; empty when it can. */
export function deliveryProblems({ delivery, base_ref, repository }: SubmitTask): Problem[] {
  if (delivery === undefined || delivery === 'branch') return [];
  if (namedCommit(base_ref) !== null)
    return [
      {
        pointer: '/base_ref',
        message: `is a commit; ${delivery} needs the branch that the work is to go to`,
      },
    ];
  return delivery === 'pull_request' && forgeOf(repository) === null
    ? [
        {
          pointer: '/delivery',
          message:
            'nobody is known here who takes pull requests for this repository; use branch or merge_queue',
        },
      ]
    : [];
}
