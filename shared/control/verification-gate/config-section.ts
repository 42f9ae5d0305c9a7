import * as z from 'zod';
import { VerificationGateCriteria } from './criteria.ts';

/** An `assay.yaml`, as far as the agent box reads it. */
export const VerificationGateConfigFile = z.looseObject({
  verification_gate: VerificationGateCriteria.optional(),
});
