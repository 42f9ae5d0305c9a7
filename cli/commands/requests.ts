import type { WorkRequestView } from '../../shared/api/work-request-schemas.ts';
import { INTAKE_APPROVAL_MODES } from '../../shared/contract/intake/schema.ts';
import { WORK_REQUEST_STATUSES } from '../../shared/contract/intake/status.ts';
import { formatAge } from '../../shared/lib/format.ts';
import { toOneLine } from '../output/text.ts';
import { defineArgument, defineOption } from '../parameters.ts';
import { defineRouteCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { IDEMPOTENCY_KEY_OPTION, PAGINATION_OPTIONS } from '../shared-options.ts';

const REQUEST_ID = defineArgument('<id>', 'request id');

const statusLine = (request: WorkRequestView): string => `${toOneLine(request.id)} is ${request.status}.`;

const renderRequests = (requests: readonly WorkRequestView[], session: ServerCommandSession): string =>
  session.table(
    [{ title: 'ID' }, { title: 'AGE', align: 'right' }, { title: 'BY' }, { title: 'TITLE', shrinkTo: 16 }],
    requests.map((each) => [
      { text: each.id, style: session.out.bold },
      formatAge(each.created_at, Date.now()),
      each.requested_by,
      each.requested_task.title,
    ]),
  );

const renderRequest = (request: WorkRequestView): string =>
  [
    statusLine(request),
    toOneLine(request.requested_task.title),
    ...request.requested_task.acceptance_criteria.map((each) => `- ${toOneLine(each)}`),
    ...request.history.map((each) => `${each.at} ${each.status} (${toOneLine(each.by)})`),
    ...request.unclear_reasons.map((each) => `Unclear: ${toOneLine(each)}`),
    ...(request.reason === null ? [] : [`Reason: ${toOneLine(request.reason)}`]),
  ].join('\n');

/** `request`: requests for work that become tasks once they are approved. */
export const requestCommands = [
  defineRouteCommand({
    name: 'request create',
    route: 'submitRequest',
    description: 'Create a request',
    arguments: { title: defineArgument('<title>', 'the work, in one line') },
    options: {
      repo: defineOption('--repo <url>', 'repository', { required: true }),
      description: defineOption('--description <text>', 'description of the work'),
      criteria: defineOption('--criterion <text...>', 'acceptance criterion; passed to the task unchanged'),
      base: defineOption('--base <ref>', 'branch, tag or commit to start from'),
      strategy: defineOption('--strategy <name>', 'whether a reviewer must approve the request', {
        choices: INTAKE_APPROVAL_MODES,
        default: 'review',
      }),
      idempotencyKey: IDEMPOTENCY_KEY_OPTION,
    },
    request: ({ title, repo, description, criteria, base, strategy, idempotencyKey }) => ({
      body: {
        title,
        repository: repo,
        strategy,
        description,
        base_ref: base,
        acceptance_criteria: [...(criteria ?? [])],
      },
      idempotencyKey,
    }),
    view: statusLine,
    examples: [
      [
        'request create "Round half to even" --repo https://github.com/you/shop.git --criterion "2.5 becomes 2"',
        'a request that a reviewer must approve',
      ],
    ],
  }),
  defineRouteCommand({
    name: 'request list',
    route: 'listRequests',
    description: 'List the requests of one status, oldest first',
    options: {
      status: defineOption('--status <status>', 'status', {
        choices: WORK_REQUEST_STATUSES,
        default: 'submitted',
      }),
      ...PAGINATION_OPTIONS,
    },
    request: (query) => ({ query }),
    view: ({ requests }, session, { status }) =>
      requests.length === 0 ? { note: `No request is ${status}.` } : renderRequests(requests, session),
    examples: [['request list --status scoping', 'the requests that are clarified and need approval']],
  }),
  defineRouteCommand({
    name: 'request show',
    route: 'getRequest',
    description: 'Show one request with its history',
    arguments: { id: REQUEST_ID },
    request: ({ id }) => ({ id }),
    view: renderRequest,
    examples: [['request show 01JD8Z0000EXAMPLE', 'its status, and since when']],
  }),
  defineRouteCommand({
    name: 'request approve',
    route: 'approveRequest',
    description: 'Approve a request: its task is created',
    arguments: { id: REQUEST_ID },
    request: ({ id }) => ({ id, body: {} }),
    view: statusLine,
    json: '`--json` prints the `Request`; its task is created later.',
    examples: [['request approve 01JD8Z0000EXAMPLE', 'the task has the same id']],
  }),
  defineRouteCommand({
    name: 'request reject',
    route: 'rejectRequest',
    description: 'Reject a request, also while its task is being created',
    arguments: { id: REQUEST_ID },
    options: {
      reason: defineOption('--reason <text>', 'reason; kept with the request', { required: true }),
    },
    request: ({ id, reason }) => ({ id, body: { reason } }),
    view: statusLine,
    examples: [['request reject 01JD8Z0000EXAMPLE --reason "done already"', 'no task is created']],
  }),
  defineRouteCommand({
    name: 'request clarify',
    route: 'clarifyRequest',
    description: 'Add notes to a request; its acceptance criteria do not change',
    arguments: { id: REQUEST_ID },
    options: {
      notes: defineOption('--notes <text>', 'notes for the agent, added to the description', {
        required: true,
      }),
      title: defineOption('--title <text>', 'replaces the title'),
      description: defineOption('--description <text>', 'replaces the description'),
    },
    request: ({ id, notes, title, description }) => ({
      id,
      body: { clarification: notes, title, description },
    }),
    view: statusLine,
    examples: [['request clarify 01JD8Z0000EXAMPLE --notes "prices only, not weights"', 'then approve it']],
  }),
];
