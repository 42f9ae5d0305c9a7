import { authorityCues } from '../authority.ts';
import type { MakeMiddleware } from '../run-context.ts';

/** Counts what asks for obedience in all that the agent is told, and has it judge by merit where there is any. It takes nothing away. */
export const authorityDeference: MakeMiddleware = ({ settings, notes, countMatches }) => ({
  name: 'authority_deference',
  async before_agent(context) {
    const { enabled, patterns, justification_header: header } = settings.authority_deference;
    if (!enabled || context.failed) return context;
    const count = authorityCues(context.text, patterns, patterns && countMatches);
    notes.fact('authority_deference.detected_count', count);
    notes.fact('authority_deference.inject_header', count > 0);
    return count > 0 ? { ...context, header } : context;
  },
});
