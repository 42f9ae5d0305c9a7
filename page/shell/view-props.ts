import type * as z from 'zod';
import type { DeploymentStatusView } from '../../shared/api/task-schemas.ts';
import type { ApiClient } from '../api/api-client.ts';
import type { ShowToastFunction } from './toasts.tsx';

export type TaskStatusSnapshot = z.infer<typeof DeploymentStatusView>;

/** What every view gets. */
export interface ViewProps {
  readonly api: ApiClient;
  readonly onTokenExpired: () => void;
  readonly showToast: ShowToastFunction;
}
