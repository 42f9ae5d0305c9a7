import type { Gate } from '../core/gate.ts';
import { agentTestMutation } from './agent-test-mutation.ts';
import { autoFormat } from './auto-format.ts';
import { benchmark } from './benchmark.ts';
import { commentQuality } from './comment-quality.ts';
import { complexityCheck } from './complexity-check.ts';
import { coverageDelta } from './coverage-delta.ts';
import { crossModel } from './cross-model.ts';
import { deadCode } from './dead-code.ts';
import { depAudit } from './dep-audit.ts';
import { dlpScan } from './dlp-scan.ts';
import { importCycle } from './import-cycle.ts';
import { integrationTestGen } from './integration-test-gen.ts';
import { intentVerification } from './intent-verification.ts';
import { largeFile } from './large-file.ts';
import { lint } from './lint.ts';
import { mergeConflict } from './merge-conflict.ts';
import { migrationReversibility } from './migration-reversibility.ts';
import { mutationTesting } from './mutation-testing.ts';
import { piiScan } from './pii-scan.ts';
import { redFirst } from './red-first.ts';
import { reviewRubric } from './review-rubric.ts';
import { screenshots } from './screenshots.ts';
import { securityScan } from './security-scan.ts';
import { suppressions } from './suppressions.ts';
import { testExpansion } from './test-expansion.ts';
import { testIntegrity } from './test-integrity.ts';
import { tests } from './tests.ts';
import { typeCheck } from './type-check.ts';

/** Every built-in gate, in the order in which results are listed. */
export const GATES: readonly Gate[] = [
  autoFormat,
  lint,
  typeCheck,
  tests,
  securityScan,
  complexityCheck,
  deadCode,
  commentQuality,
  importCycle,
  coverageDelta,
  mergeConflict,
  piiScan,
  dlpScan,
  mutationTesting,
  intentVerification,
  depAudit,
  benchmark,
  migrationReversibility,
  largeFile,
  integrationTestGen,
  reviewRubric,
  testExpansion,
  agentTestMutation,
  testIntegrity,
  redFirst,
  suppressions,
  crossModel,
  screenshots,
];

export const gateNamed = (name: string): Gate | undefined => GATES.find((gate) => gate.name === name);
