import type { WorkRequest } from '../contract/intake/schema.ts';
import { unclearIn } from '../control/intake/commands.ts';
import type { RequestView } from './request-schemas.ts';

/** A request as the API shows it. */
export function requestView({ request_sha256: _sha, expires_at: _ttl, ...view }: WorkRequest): RequestView {
  const open = view.status === 'submitted' || view.status === 'triaging';
  return { ...view, unclear: open ? unclearIn(view) : [] };
}
