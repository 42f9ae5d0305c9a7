import { hashTaskContent } from '../../../contract/submission/content-hash.ts';
import type { MiddlewareFactory } from '../run-context.ts';

/** What the task says, as a hash, beside that of the task at the root of it. That they differ is said and nothing more. */
export const createDelegationChainHashMiddleware: MiddlewareFactory = ({ task, recorder }) => ({
  name: 'delegation_chain_hash',
  async before_agent(context) {
    const hash = hashTaskContent(task.title, task.description, task.criteria);
    recorder.setFact('delegation_chain_hash', hash);
    recorder.setFact(
      'root_task_content_hash',
      task.parent === null ? hash : (task.root_content_sha256 ?? 'unknown'),
    );
    if (task.parent !== null && task.root_content_sha256 !== null && task.root_content_sha256 !== hash)
      recorder.addFinding({
        middleware: 'delegation_chain_hash',
        kind: 'observed',
        code: 'content_differs_from_root',
        detail: `made from ${task.parent}, and says something else than what was asked for first`,
      });
    return context;
  },
});
