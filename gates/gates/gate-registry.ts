import type { Gate } from '../core/gate.ts';
import { agentTestMutationGate } from './agent-test-mutation.ts';
import { autoFormatGate } from './auto-format.ts';
import { benchmarkGate } from './benchmark.ts';
import { commentQualityGate } from './comment-quality.ts';
import { complexityCheckGate } from './complexity-check.ts';
import { coverageDeltaGate } from './coverage-delta.ts';
import { crossModelGate } from './cross-model.ts';
import { deadCodeGate } from './dead-code.ts';
import { depAuditGate } from './dep-audit.ts';
import { dlpScanGate } from './dlp-scan.ts';
import { importCycleGate } from './import-cycle.ts';
import { integrationTestGenGate } from './integration-test-gen.ts';
import { intentVerificationGate } from './intent-verification.ts';
import { largeFileGate } from './large-file.ts';
import { lintGate } from './lint.ts';
import { mergeConflictGate } from './merge-conflict.ts';
import { migrationReversibilityGate } from './migration-reversibility.ts';
import { mutationTestingGate } from './mutation-testing.ts';
import { piiScanGate } from './pii-scan.ts';
import { redFirstGate } from './red-first.ts';
import { reviewRubricGate } from './review-rubric.ts';
import { screenshotsGate } from './screenshots.ts';
import { securityScanGate } from './security-scan.ts';
import { suppressionsGate } from './suppressions.ts';
import { testExpansionGate } from './test-expansion.ts';
import { testIntegrityGate } from './test-integrity.ts';
import { testsGate } from './tests.ts';
import { typeCheckGate } from './type-check.ts';

/** Every built-in gate, in the order in which results are listed. */
export const BUILT_IN_GATES: readonly Gate[] = [
  autoFormatGate,
  lintGate,
  typeCheckGate,
  testsGate,
  securityScanGate,
  complexityCheckGate,
  deadCodeGate,
  commentQualityGate,
  importCycleGate,
  coverageDeltaGate,
  mergeConflictGate,
  piiScanGate,
  dlpScanGate,
  mutationTestingGate,
  intentVerificationGate,
  depAuditGate,
  benchmarkGate,
  migrationReversibilityGate,
  largeFileGate,
  integrationTestGenGate,
  reviewRubricGate,
  testExpansionGate,
  agentTestMutationGate,
  testIntegrityGate,
  redFirstGate,
  suppressionsGate,
  crossModelGate,
  screenshotsGate,
];

export const findGate = (name: string): Gate | undefined => BUILT_IN_GATES.find((gate) => gate.name === name);
