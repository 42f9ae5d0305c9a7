import { Evidence } from '../../contract/evidence/schema.ts';
import { longestScope } from '../../contract/repository/url.ts';
import { currentAttempt, type Task } from '../../contract/task/task.ts';
import { type Forge, ForgeError, type Place } from '../../control/forge/port.ts';
import { reportOf } from '../../control/forge/report.ts';
import type { ForgeCredential, ForgeSecret, ForgeSetting } from '../../control/forge/schema.ts';
import type { ObjectStore } from '../../store/objects.ts';
import type { TaskStore } from '../../store/tasks.ts';

export interface TellContext {
  readonly tasks: Pick<TaskStore, 'get'>;
  readonly objects: Pick<ObjectStore, 'getByDigest'>;
  readonly settings: readonly ForgeSetting[];
  readonly secret: () => Promise<ForgeSecret>;
  /** Speaks with the forge about one repository. @throws ForgeError when there is no token */
  readonly connect: (
    setting: ForgeSetting,
    credential: ForgeCredential,
    repository: string,
  ) => Promise<Forge>;
  readonly onError: (message: string) => void;
}

/** The evidence of the work that was delivered; null where it cannot be read: then nothing is said in the code. */
async function evidenceOf(task: Task, { objects, onError }: TellContext): Promise<Evidence | null> {
  const found = currentAttempt(task)?.verification;
  if (!found || task.delivery?.state !== 'delivered' || task.delivery.tree !== found.tree) return null;
  try {
    return Evidence.parse(JSON.parse(await objects.getByDigest(found.key)));
  } catch (error) {
    onError(`its evidence cannot be read, and nothing is said in the code: ${String(error)}`);
    return null;
  }
}

/**
 * Makes the forge say of a task what is so now. Nothing is taken from the event that led here but the task's id: whatever comes
 * twice, late or out of order comes to the same. What may work later is thrown, so that it is tried again; what will not is told, and does not
 * keep the rest from being done.
 */
export async function tellForge(taskId: string, context: TellContext): Promise<void> {
  if (context.settings.length === 0) return;
  const task = await context.tasks.get(taskId);
  const setting = task && longestScope(context.settings, task.repository);
  if (!task || !setting) return;
  const credential = longestScope((await context.secret()).credentials, task.repository);
  if (!credential) return context.onError(`the secret has no credential for ${task.repository}`);
  const forge = await context.connect(setting, credential, task.repository);
  const report = reportOf(task, await evidenceOf(task, context));
  let later: ForgeError | null = null;
  const attempt = async <T>(step: () => Promise<T>): Promise<T | null> => {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      if (error.transient) later = error;
      else context.onError(error.message);
      return null;
    }
  };
  const { change, check, comment, labels, issue } = report;
  const number = change && (await attempt(() => forge.openChange(change)));
  if (check) await attempt(() => forge.check(check));
  const places: Place[] = [
    ...(issue === null ? [] : [{ kind: 'issue' as const, number: issue }]),
    ...(number == null ? [] : [{ kind: 'change' as const, number }]),
  ];
  for (const place of places) {
    await attempt(() => forge.comment(place, comment.marker, comment.body));
    await attempt(() => forge.label(place, labels.on, labels.off));
  }
  if (later !== null) throw later;
}
