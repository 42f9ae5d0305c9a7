import type * as z from 'zod';
import type { StatusView } from '../../shared/api/schemas.ts';
import type { Api } from '../api/client.ts';
import type { Say } from './toasts.tsx';

export type Status = z.infer<typeof StatusView>;

/** What every view gets. */
export interface ViewProps {
  readonly api: Api;
  readonly onTokenOver: () => void;
  readonly say: Say;
}
