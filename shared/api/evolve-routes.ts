import { EvolutionView, ProposalWord, ProposeBody } from './evolve-schemas.ts';
import type { Route } from './route.ts';

const WORD = {
  method: 'POST',
  function: 'api-submit',
  callers: ['operator'],
  right: 'review',
  answer: EvolutionView,
} as const;

/** What the deployment changes of its own settings. */
export const EVOLVE_ROUTES = {
  evolution: {
    method: 'GET',
    path: '/evolution',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary:
      'Settings that were changed on what was learned, what is proposed with its evidence, and who did what',
    answer: EvolutionView,
  },
  proposeChange: {
    ...WORD,
    path: '/evolution/propose',
    body: ProposeBody,
    refuses: ['conflict'],
    summary: 'Propose a change of a setting, or have all proposed that the records suggest',
  },
  applyProposal: {
    ...WORD,
    path: '/evolution/apply',
    body: ProposalWord,
    refuses: ['not_found', 'conflict'],
    summary: 'Apply a proposal when its test holds, up to the level of the deployment',
  },
  revertProposal: {
    ...WORD,
    path: '/evolution/revert',
    body: ProposalWord,
    refuses: ['not_found', 'conflict'],
    summary: 'Take back a change: what held before holds again',
  },
} as const satisfies Record<string, Route>;
