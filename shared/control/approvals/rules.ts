import * as z from 'zod';
import { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { ApprovalPolicy, DEFAULT_APPROVAL_POLICY } from './policy.ts';

/** What a deployment says of approvals. */
export const ApprovalRules = z.strictObject({
  autonomy: AutonomyLevel.default('semi'),
  policy: ApprovalPolicy.default(DEFAULT_APPROVAL_POLICY),
});
export type ApprovalRules = z.infer<typeof ApprovalRules>;

export const DEFAULT_APPROVAL_RULES: ApprovalRules = { autonomy: 'semi', policy: DEFAULT_APPROVAL_POLICY };
