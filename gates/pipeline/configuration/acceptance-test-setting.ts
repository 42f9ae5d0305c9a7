import * as z from 'zod';
import { ExamMode } from '../../../shared/contract/evidence/independent.ts';

/** `acceptance_tests` of assay.yaml: what acceptance tests and counterexamples make of a verdict. */
export const AcceptanceTestSetting = z.strictObject({
  /** `off`: they do not run; `advise`: they are shown; `gate`: a requirement that is not met fails the patch. */
  mode: ExamMode.optional(),
  timeout_s: z.int().min(1).max(7_200).default(300),
});
export type AcceptanceTestSetting = z.infer<typeof AcceptanceTestSetting>;
