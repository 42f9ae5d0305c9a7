import type { MiddlewareName } from '../../../contract/agents/middleware-names.ts';
import type { MiddlewareFactory } from '../run-context.ts';
import { approvalGate } from './approval-gate.ts';
import { assumptionViolation } from './assumption-violation.ts';
import { authorityDeference } from './authority-deference.ts';
import { checkpointResume } from './checkpoint-resume.ts';
import { failureClassification } from './classification.ts';
import { costRecording } from './cost-recording.ts';
import { delegationChainHash } from './delegation-chain-hash.ts';
import { policyGate } from './policy-gate.ts';
import { sanitizeMessage } from './sanitize-message.ts';
import { securityInterceptor } from './security-interceptor.ts';
import { semanticDriftDetector } from './semantic-drift-detector.ts';

/** All there is, by the name that chains know it by: a name without one does not compile. */
export const BUILTIN_MIDDLEWARE: Record<MiddlewareName, MiddlewareFactory> = {
  checkpoint_resume: checkpointResume,
  delegation_chain_hash: delegationChainHash,
  authority_deference: authorityDeference,
  sanitize_message: sanitizeMessage,
  security_interceptor: securityInterceptor,
  policy_gate: policyGate,
  approval_gate: approvalGate,
  assumption_violation: assumptionViolation,
  classification: failureClassification,
  cost_recording: costRecording,
  semantic_drift_detector: semanticDriftDetector,
};
