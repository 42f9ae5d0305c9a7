import type { WorkRequest } from '../contract/intake/schema.ts';
import { findClarificationReasons } from '../control/intake/commands.ts';
import type { WorkRequestView } from './work-request-schemas.ts';

/** A request as the API shows it. */
export function workRequestView({
  request_sha256: _sha,
  expires_at: _ttl,
  ...view
}: WorkRequest): WorkRequestView {
  const open = view.status === 'submitted' || view.status === 'triaging';
  return { ...view, unclear_reasons: open ? findClarificationReasons(view) : [] };
}
