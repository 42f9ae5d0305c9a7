import {
  ApprovalDecisionBody,
  ApprovalDenialBody,
  ApprovalList,
  ApprovalRequestBody,
  ApprovalRequestResponse,
  ApprovalsQuery,
  ApprovalView,
} from './approval-schemas.ts';
import type { RouteDefinition } from './route.ts';

/** Leave that agents ask for in mid-run. */
export const APPROVAL_ROUTES = {
  requestApproval: {
    method: 'POST',
    path: '/tasks/{id}/approval-requests',
    function: 'api-work',
    callers: ['agent'],
    summary: 'Ask for leave in mid-run: the task waits for a person, unless its autonomy allows it at once',
    body: ApprovalRequestBody,
    refusalCodes: ['conflict'],
    response: ApprovalRequestResponse,
    isFinalReport: true,
  },
  listApprovals: {
    method: 'GET',
    path: '/approvals',
    function: 'api-read',
    callers: ['operator'],
    right: 'read',
    summary: 'What agents wait to be allowed: what, since when, and when it ends without a person',
    query: ApprovalsQuery,
    response: ApprovalList,
  },
  approve: {
    method: 'POST',
    path: '/approvals/{id}/approve',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Allow what the agent of a task waits for: it goes on where it was',
    body: ApprovalDecisionBody,
    refusalCodes: ['conflict'],
    response: ApprovalView,
  },
  deny: {
    method: 'POST',
    path: '/approvals/{id}/deny',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Refuse what the agent of a task waits for: the task is cancelled',
    body: ApprovalDenialBody,
    refusalCodes: ['conflict'],
    response: ApprovalView,
  },
} as const satisfies Record<string, RouteDefinition>;
