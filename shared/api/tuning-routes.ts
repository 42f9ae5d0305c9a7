import type { RouteDefinition } from './route.ts';
import { ProposeSettingChangeBody, SettingProposalActionBody, TuningView } from './tuning-schemas.ts';

const PROPOSAL_ROUTE = {
  method: 'POST',
  function: 'api-submit',
  callers: ['operator'],
  right: 'review',
  isDeploymentWide: true,
  response: TuningView,
} as const;

/** What the deployment changes of its own settings. */
export const TUNING_ROUTES = {
  getTuning: {
    method: 'GET',
    path: '/tuning',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    isDeploymentWide: true,
    summary: 'List setting changes and proposals with their evidence, and who decided',
    response: TuningView,
  },
  proposeChange: {
    ...PROPOSAL_ROUTE,
    path: '/tuning/propose',
    body: ProposeSettingChangeBody,
    refusalCodes: ['conflict'],
    summary: 'Propose a change of a setting, or all changes that the records suggest',
  },
  applyProposal: {
    ...PROPOSAL_ROUTE,
    path: '/tuning/apply',
    body: SettingProposalActionBody,
    refusalCodes: ['not_found', 'conflict'],
    summary: 'Apply a proposal if its test passes, up to the level of the deployment',
  },
  revertProposal: {
    ...PROPOSAL_ROUTE,
    path: '/tuning/revert',
    body: SettingProposalActionBody,
    refusalCodes: ['not_found', 'conflict'],
    summary: 'Revert a change to the value before',
  },
} as const satisfies Record<string, RouteDefinition>;
