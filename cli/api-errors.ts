import { AUTHORIZER_CACHE_SECONDS, GATEWAY_ERRORS, GatewayErrorResponse } from '../shared/api/api-gateway.ts';
import { API_REFUSALS, type ProblemDetails } from '../shared/api/problem.ts';
import type { RefusalCode } from '../shared/contract/refusal.ts';
import type { ApiConnection } from './connection.ts';
import { CLI_EXIT_CODES, CliError, type CliExitCode } from './exit.ts';

const EXIT_CODES: Partial<Record<RefusalCode, CliExitCode>> = {
  not_found: CLI_EXIT_CODES.notFound,
  no_task: CLI_EXIT_CODES.notFound,
  conflict: CLI_EXIT_CODES.conflict,
  stale_lease: CLI_EXIT_CODES.conflict,
  files_locked: CLI_EXIT_CODES.conflict,
  id_taken: CLI_EXIT_CODES.conflict,
  version_mismatch: CLI_EXIT_CODES.conflict,
};

/** Commands that list and show the items of a route, by the first part of its path; tasks for all other routes. */
const ITEM_COMMANDS = {
  'dead-letters': { list: 'assay dlq list', of: 'dead letters', show: 'assay dlq show ID' },
  tuning: { list: 'assay tune list', of: 'proposals', show: 'assay tune show ID' },
  requests: { list: 'assay request list', of: 'requests', show: 'assay request show ID' },
  tasks: { list: 'assay tasks', of: 'tasks', show: 'assay task ID' },
} as const;
const itemCommands = (path: string): (typeof ITEM_COMMANDS)[keyof typeof ITEM_COMMANDS] =>
  Object.entries(ITEM_COMMANDS).find(([place]) => path.split('/')[1] === place)?.[1] ?? ITEM_COMMANDS.tasks;

const HINTS: Partial<Record<RefusalCode, (connection: ApiConnection, path: string) => string>> = {
  unauthenticated: ({ source, tokenSource }) =>
    `The token comes from ${tokenSource ?? source}. Give another with --token or ASSAY_TOKEN; \`assay token create\` makes one.`,
  forbidden: () => 'Use an operator token: tokens of agents and gates are valid for their own attempt only.',
  not_found: (_, path) => {
    const { list, of } = itemCommands(path);
    return `\`${list}\` lists the ${of} that exist.`;
  },
  version_mismatch: () => 'Read its state with `assay task ID`, then repeat the command.',
  conflict: (_, path) => `\`${itemCommands(path).show}\` shows the state and the reason.`,
  id_taken: () => 'Choose another `id`, or omit it: one is generated.',
  dependency_unknown: () => 'Submit the dependency first, or in the same file.',
  internal: ({ url }) => `The error is on the side of ${url}; its logs have the request id.`,
};

const isKnown = (code: string): code is RefusalCode => Object.hasOwn(API_REFUSALS, code);

/** Formats a JSON pointer: `/tasks/1/title` as `tasks[1].title`; `?status` and `{id}` are unchanged. */
export const formatJsonPointer = (pointer: string): string =>
  pointer.startsWith('/')
    ? pointer
        .slice(1)
        .split('/')
        .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce((path, segment) =>
          /^\d+$/.test(segment) ? `${path}[${segment}]` : path === '' ? segment : `${path}.${segment}`,
        )
    : pointer || '(body)';

/** Creates the error for an answer of API Gateway itself, which has no details. Returns undefined for other answers. */
export function createApiGatewayError(
  status: number,
  body: unknown,
  connection: ApiConnection,
): CliError | undefined {
  if (!GatewayErrorResponse.safeParse(body).success) return undefined;
  if (status === 429)
    return new CliError(
      CLI_EXIT_CODES.failed,
      'too_many_requests',
      'The API accepts no more requests at the moment.',
      {
        hint: 'Wait a few seconds, then repeat the command.',
      },
    );
  if (status !== 401 && status !== 403) return undefined;
  const fresh =
    status === 403
      ? ` A new token that was refused before is accepted after at most ${AUTHORIZER_CACHE_SECONDS} seconds.`
      : '';
  return new CliError(CLI_EXIT_CODES.usage, 'unauthenticated', `${GATEWAY_ERRORS[status]}.`, {
    hint: `${HINTS.unauthenticated?.(connection, '')}${fresh}`,
  });
}

/** Creates the error for a refusal of the API: the detail, each refused field, and what to do next. */
export function createProblemDetailsError(
  problem: ProblemDetails,
  connection: ApiConnection,
  path: string,
): CliError {
  const code = isKnown(problem.code) ? problem.code : undefined;
  const exitCode =
    (code && EXIT_CODES[code]) ??
    (problem.status >= 400 && problem.status < 500 ? CLI_EXIT_CODES.usage : CLI_EXIT_CODES.failed);
  const details = (problem.errors ?? []).map(({ pointer, message }) => ({
    where: formatJsonPointer(pointer),
    message,
  }));
  const id = problem.request_id === undefined ? '' : ` (request ${problem.request_id})`;
  // The detail of a field refusal repeats the fields, which are listed below the message.
  const text =
    details.length > 0 || problem.detail === '' ? problem.title : `${problem.title}: ${problem.detail}`;
  return new CliError(exitCode, problem.code, `${text}${problem.status >= 500 ? id : ''}`, {
    hint: code && HINTS[code]?.(connection, path),
    details,
  });
}
