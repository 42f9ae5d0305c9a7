import { UPLOADS } from '../../shared/api/report-schemas.ts';
import { Refusal } from '../../shared/contract/refusal.ts';
import { PRESIGN_SECONDS } from '../../shared/store/objects.ts';
import { memoryPlace, uploadPlace } from '../../shared/use-cases/work/upload.ts';
import { stores } from '../runtime/dynamodb.ts';
import { objects as objectStore } from '../runtime/objects.ts';
import { serve } from './serve.ts';

const { tasks, uploads } = stores();
const objects = objectStore();

/** Signs what boxes may put into the bucket. */
export const handler = serve('api-upload', {
  upload: async (request) => {
    const content = request.body;
    const { by } = UPLOADS[content.kind];
    if (by !== request.caller)
      throw new Refusal(
        'forbidden',
        `${content.kind} is uploaded by ${by}; the token is for ${request.caller}`,
        [{ pointer: '/kind', message: `is not for ${request.caller}` }],
      );
    const task = await tasks.guarded(request.guard).require(request.params.id);
    const upload = await uploadPlace(task, request.attempt, content, { uploads, objects, now: new Date() });
    return { body: { ...upload, method: 'PUT', expires_s: PRESIGN_SECONDS } };
  },
  memory: async (request) => {
    const task = await tasks.guarded(request.guard).require(request.params.id);
    const place = await memoryPlace(task, request.body, objects);
    return { body: { ...place, expires_s: PRESIGN_SECONDS } };
  },
});
