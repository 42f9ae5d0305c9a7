import * as z from 'zod';
import { Refusal } from '../../contract/refusal.ts';
import { VerificationRubric } from '../../contract/rubric/verification-rubric.ts';
import { deepFreezeCopy } from '../../lib/deep-freeze.ts';
import { AtomicProbe } from './atomic-probe.ts';

const NonBlank = z.string().refine((text) => text.trim() !== '', { message: 'must not be blank' });
/** What JSON can say, and nothing else: no NaN, no dates, nothing undefined. */
const Json: z.ZodType<unknown> = z.json();

/** What goes from who made something to who looks at it. */
export const AgentHandoff = z
  .strictObject({
    created_at: z.iso.datetime(),
    from_agent_id: NonBlank,
    to_agent_id: NonBlank,
    from_stage: NonBlank,
    to_stage: NonBlank,
    payload: z.record(z.string(), Json).default({}),
    artifact_refs: z.array(NonBlank).default([]),
    acceptance_probes: z.array(AtomicProbe).default([]),
    rubric: VerificationRubric.nullable().default(null),
  })
  .refine(({ from_agent_id: from, to_agent_id: to }) => from !== to, {
    path: ['to_agent_id'],
    message: 'is who made it: nobody hands work to themselves',
  });
export type AgentHandoff = Readonly<z.infer<typeof AgentHandoff>>;

/** @throws Refusal `self_review` when both are the same, `invalid` for any other fault. */
export function createAgentHandoff(fields: z.input<typeof AgentHandoff>): AgentHandoff {
  if (fields.from_agent_id === fields.to_agent_id)
    throw new Refusal('self_review', `${fields.from_agent_id} made this: nobody hands work to themselves`);
  const parsed = AgentHandoff.safeParse(fields);
  if (!parsed.success) throw new Refusal('invalid', z.prettifyError(parsed.error));
  return deepFreezeCopy(parsed.data);
}
