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
    summary:
      'Request an approval during a run: the task waits for an approver, unless its autonomy allows the action',
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
    summary: 'List approvals that agents wait for: the action, since when, and when it expires',
    query: ApprovalsQuery,
    response: ApprovalList,
  },
  approve: {
    method: 'POST',
    path: '/approvals/{id}/approve',
    function: 'api-submit',
    callers: ['operator'],
    right: 'review',
    summary: 'Approve the action that an agent waits for: it resumes',
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
    summary: 'Deny the action that an agent waits for: the task is cancelled',
    body: ApprovalDenialBody,
    refusalCodes: ['conflict'],
    response: ApprovalView,
  },
} as const satisfies Record<string, RouteDefinition>;
