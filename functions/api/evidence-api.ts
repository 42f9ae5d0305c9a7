import { taskView } from '../../shared/api/task-views.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { recordGatesReport } from '../../shared/use-cases/work/record-evidence.ts';
import { createObjectStore } from '../runtime/object-store.ts';
import { openTable } from '../runtime/open-table.ts';
import { createApiHandler } from './api-handler.ts';
import { restrictTaskToCaller } from './visible-task.ts';

const items = openTable();
const tasks = new TaskStore(items);
const objects = createObjectStore();

/** Takes the evidence of the gates and of challengers: the only function that can write evidence, and it does nothing else. */
export const handler = createApiHandler('api-evidence', {
  evidence: async (request) => {
    const task = await recordGatesReport(request.params.id, request.attempt, request.body, {
      tasks: tasks.withGuard(request.guardTask),
      objects,
      now: new Date(),
    });
    return { body: taskView(restrictTaskToCaller(request, task)), version: task.version };
  },
  challenge: async (request) => {
    const { recordChallengerReport } = await import('../../shared/use-cases/work/record-challenge-report.ts');
    const task = await recordChallengerReport(request.params.id, request.attempt, request.body, {
      tasks: tasks.withGuard(request.guardTask),
      objects,
      now: new Date(),
    });
    return { body: taskView(restrictTaskToCaller(request, task)), version: task.version };
  },
});
