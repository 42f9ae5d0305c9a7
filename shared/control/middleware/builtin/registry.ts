import type { MiddlewareName } from '../../../contract/agents/middleware-names.ts';
import type { MiddlewareFactory } from '../run-context.ts';
import { createApprovalGateMiddleware } from './approval-gate.ts';
import { createAssumptionViolationMiddleware } from './assumption-violation.ts';
import { createAuthorityDeferenceMiddleware } from './authority-deference.ts';
import { createCheckpointResumeMiddleware } from './checkpoint-resume.ts';
import { createFailureClassificationMiddleware } from './classification.ts';
import { createCostRecordingMiddleware } from './cost-recording.ts';
import { createDelegationChainHashMiddleware } from './delegation-chain-hash.ts';
import { createPolicyGateMiddleware } from './policy-gate.ts';
import { createSanitizeMessageMiddleware } from './sanitize-message.ts';
import { createSecurityInterceptorMiddleware } from './security-interceptor.ts';
import { createSemanticDriftMiddleware } from './semantic-drift-detector.ts';

/** All there is, by the name that chains know it by: a name without one does not compile. */
export const BUILTIN_MIDDLEWARE_FACTORIES: Record<MiddlewareName, MiddlewareFactory> = {
  checkpoint_resume: createCheckpointResumeMiddleware,
  delegation_chain_hash: createDelegationChainHashMiddleware,
  authority_deference: createAuthorityDeferenceMiddleware,
  sanitize_message: createSanitizeMessageMiddleware,
  security_interceptor: createSecurityInterceptorMiddleware,
  policy_gate: createPolicyGateMiddleware,
  approval_gate: createApprovalGateMiddleware,
  assumption_violation: createAssumptionViolationMiddleware,
  classification: createFailureClassificationMiddleware,
  cost_recording: createCostRecordingMiddleware,
  semantic_drift_detector: createSemanticDriftMiddleware,
};
