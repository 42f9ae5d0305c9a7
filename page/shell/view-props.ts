import type * as z from 'zod';
import type { StatusView } from '../../shared/api/task-schemas.ts';
import type { ApiClient } from '../api/api-client.ts';
import type { ShowToast } from './toasts.tsx';

export type StatusSnapshot = z.infer<typeof StatusView>;

/** What every view gets. */
export interface ViewProps {
  readonly api: ApiClient;
  readonly onTokenExpired: () => void;
  readonly showToast: ShowToast;
}
