import type { ForgeClient } from '../../control/forge/forge.ts';
import type { ForgeSetting } from '../../control/forge/forge-settings.ts';
import type { PullRequestStore } from '../../store/pull-requests.ts';
import type { SubmitContext } from '../submit/submit-task.ts';

/** What events about pull requests are carried out with. */
export interface PullRequestEventContext
  extends Omit<SubmitContext, 'submitter' | 'idempotencyKey' | 'canAccess' | 'objects'> {
  readonly pullRequests: Pick<PullRequestStore, 'findTask' | 'countRequest' | 'recordClosed'>;
  readonly setting: ForgeSetting;
  readonly repository: string;
  /** Speaks with the forge about the repository. @throws ForgeError when there is no token */
  readonly forge: () => Promise<ForgeClient>;
}
