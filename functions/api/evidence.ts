import { taskView } from '../../shared/api/views.ts';
import { recordEvidenceBody } from '../../shared/use-cases/work/evidence.ts';
import { stores } from '../runtime/dynamodb.ts';
import { objects as objectStore } from '../runtime/objects.ts';
import { serve } from './serve.ts';
import { visibleTo } from './visible.ts';

const { tasks } = stores();
const objects = objectStore();

/** Takes the evidence of the gates box: the only function that can write evidence, and it does nothing else. */
export const handler = serve('api-evidence', {
  evidence: async (request) => {
    const task = await recordEvidenceBody(request.params.id, request.attempt, request.body, {
      tasks: tasks.guarded(request.guard),
      objects,
      now: new Date(),
    });
    return { body: taskView(visibleTo(request, task)), version: task.version };
  },
});
