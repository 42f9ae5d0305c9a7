import * as z from 'zod';
import { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { ApprovalTimeoutPolicy, DEFAULT_APPROVAL_TIMEOUT_POLICY } from './timeout-policy.ts';

/** What a deployment says of approvals. */
export const ApprovalSettings = z.strictObject({
  autonomy: AutonomyLevel.default('semi'),
  timeout_policy: ApprovalTimeoutPolicy.default(DEFAULT_APPROVAL_TIMEOUT_POLICY),
});
export type ApprovalSettings = z.infer<typeof ApprovalSettings>;

export const DEFAULT_APPROVAL_SETTINGS: ApprovalSettings = {
  autonomy: 'semi',
  timeout_policy: DEFAULT_APPROVAL_TIMEOUT_POLICY,
};
