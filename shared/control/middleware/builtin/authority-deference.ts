import { countAuthorityCues } from '../authority-cues.ts';
import type { MiddlewareFactory } from '../run-context.ts';

/** Counts what asks for obedience in all that the agent is told, and has it judge by merit where there is any. It takes nothing away. */
export const createAuthorityDeferenceMiddleware: MiddlewareFactory = ({
  settings,
  recorder,
  countMatches,
}) => ({
  name: 'authority_deference',
  async before_agent(context) {
    const { enabled, patterns, justification_header: header } = settings.authority_deference;
    if (!enabled || context.runFailure) return context;
    const count = countAuthorityCues(context.agentText, patterns, patterns && countMatches);
    recorder.setFact('authority_deference.detected_count', count);
    recorder.setFact('authority_deference.inject_header', count > 0);
    return count > 0 ? { ...context, header } : context;
  },
});
