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
    summary: 'Have a goal planned: the manager proposes tasks, code checks them, nothing is made yet',
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
    summary: 'One plan, with the tasks that it proposes or has made',
    response: PlanView,
  },
  approvePlan: {
    method: 'POST',
    path: '/plans/{id}/approve',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Say yes to what is proposed: its tasks are made',
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
    summary: 'Say no to what is proposed: it is planned again, with the reason',
    body: PlanRejectionBody,
    refusalCodes: ['conflict', 'base_unresolved', 'wrong_base', 'self_review'],
    response: PlanView,
  },
} as const satisfies Record<string, RouteDefinition>;
