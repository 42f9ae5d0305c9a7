import * as z from 'zod';
import { VerificationCriteria } from './criteria.ts';

/** An `assay.yaml`, as far as the agent box reads it. */
export const WithVerificationGate = z.looseObject({ verification_gate: VerificationCriteria.optional() });
