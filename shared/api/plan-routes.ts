import { PlanBody, PlanDecisionBody, PlanRejectionBody, PlanView } from './plan-schemas.ts';
import type { RouteDefinition } from './route.ts';

/** Goals that are planned before tasks are made of them. */
export const PLAN_ROUTES = {
  submitPlan: {
    method: 'POST',
    path: '/plans',
    function: 'api-submit',
    callers: ['operator'],
    right: 'submit',
    summary: 'Plan a goal: the manager proposes tasks, code checks them, none is created yet',
    body: PlanBody,
    refusalCodes: ['id_taken', 'dependency_unknown', 'dependency_cycle'],
    response: PlanView,
    status: 201,
    isIdempotent: true,
  },
  getPlan: {
    method: 'GET',
    path: '/plans/{id}',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'Get one plan with its proposed or created tasks',
    response: PlanView,
  },
  approvePlan: {
    method: 'POST',
    path: '/plans/{id}/approve',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Approve a plan: its tasks are created',
    body: PlanDecisionBody,
    refusalCodes: ['conflict', 'base_unresolved', 'wrong_base', 'self_review'],
    response: PlanView,
  },
  rejectPlan: {
    method: 'POST',
    path: '/plans/{id}/reject',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Reject a plan: it is planned again with the reason',
    body: PlanRejectionBody,
    refusalCodes: ['conflict', 'base_unresolved', 'wrong_base', 'self_review'],
    response: PlanView,
  },
} as const satisfies Record<string, RouteDefinition>;
