import { UPLOAD_RULES } from '../../shared/api/report-schemas.ts';
import { Refusal } from '../../shared/contract/refusal.ts';
import { PRESIGNED_URL_SECONDS } from '../../shared/store/object-store.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { UploadQuotaStore } from '../../shared/store/upload-quota.ts';
import { presignAttemptUpload, presignGatesMemoryEntry } from '../../shared/use-cases/work/presign-upload.ts';
import { createObjectStore } from '../runtime/object-store.ts';
import { openTable } from '../runtime/open-table.ts';
import { createApiHandler } from './api-handler.ts';

const items = openTable();
const tasks = new TaskStore(items);
const uploads = new UploadQuotaStore(items);
const objects = createObjectStore();

/** Signs what boxes may put into the bucket. */
export const handler = createApiHandler('api-upload', {
  upload: async (request) => {
    const content = request.body;
    const { uploader } = UPLOAD_RULES[content.kind];
    if (uploader !== request.caller)
      throw new Refusal(
        'forbidden',
        `${content.kind} is uploaded by ${uploader}; the token is for ${request.caller}`,
        [{ pointer: '/kind', message: `is not for ${request.caller}` }],
      );
    const task = await tasks.withGuard(request.guardTask).require(request.params.id);
    const upload = await presignAttemptUpload(task, request.attempt, content, {
      uploads,
      objects,
      now: new Date(),
    });
    return { body: { ...upload, method: 'PUT', expires_s: PRESIGNED_URL_SECONDS } };
  },
  memory: async (request) => {
    const task = await tasks.withGuard(request.guardTask).require(request.params.id);
    const place = await presignGatesMemoryEntry(task, request.caller, request.body, objects);
    return { body: { ...place, expires_s: PRESIGNED_URL_SECONDS } };
  },
});
