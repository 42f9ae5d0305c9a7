import { DEFAULT_MIDDLEWARE_CHAIN } from '../../contract/agents/middleware-names.ts';
import { MERIT_JUSTIFICATION_PROMPT_HEADER } from './authority-cues.ts';
import type { AgentMiddlewareSettings } from './config-section.ts';
import { DRIFT_THRESHOLD } from './semantic-drift.ts';

/** What is in force where the base says nothing; without a parser, because most of a box's time is its start. */
export const DEFAULT_MIDDLEWARE_SETTINGS: AgentMiddlewareSettings = {
  chain: [...DEFAULT_MIDDLEWARE_CHAIN],
  checkpoint: { every_turns: 1, max_resumes: 2 },
  authority_deference: { enabled: true, justification_header: MERIT_JUSTIFICATION_PROMPT_HEADER },
  policy: { evaluation_mode: 'log_only', fail_closed: false, forbidden_calls: [] },
  semantic_drift: { threshold: DRIFT_THRESHOLD },
};
