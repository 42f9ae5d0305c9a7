import { AUTHORIZER_CACHE_SECONDS, GATEWAY_ERRORS, GatewayErrorResponse } from '../shared/api/api-gateway.ts';
import { PROBLEMS, type ProblemDetails } from '../shared/api/problem.ts';
import type { RefusalCode } from '../shared/contract/refusal.ts';
import type { Connection } from './connection.ts';
import { CLI_EXIT_CODES, CliError, type ExitCode } from './exit.ts';

const EXIT_OF: Partial<Record<RefusalCode, ExitCode>> = {
  not_found: CLI_EXIT_CODES.notFound,
  no_task: CLI_EXIT_CODES.notFound,
  conflict: CLI_EXIT_CODES.conflict,
  stale_lease: CLI_EXIT_CODES.conflict,
  files_held: CLI_EXIT_CODES.conflict,
  id_taken: CLI_EXIT_CODES.conflict,
  version_mismatch: CLI_EXIT_CODES.conflict,
};

/** What lists the things of a route, and what shows one, by where the route's path begins; of all others a task is spoken of. */
const LOOK = {
  'dead-letters': { list: 'assay dlq list', of: 'dead letters', show: 'assay dlq show ID' },
  evolution: { list: 'assay tune list', of: 'proposals', show: 'assay tune show ID' },
  requests: { list: 'assay request list', of: 'requests', show: 'assay request show ID' },
  tasks: { list: 'assay tasks', of: 'tasks', show: 'assay task ID' },
} as const;
const lookAt = (path: string): (typeof LOOK)[keyof typeof LOOK] =>
  Object.entries(LOOK).find(([place]) => path.split('/')[1] === place)?.[1] ?? LOOK.tasks;

const HINTS: Partial<Record<RefusalCode, (connection: Connection, path: string) => string>> = {
  unauthenticated: ({ source, tokenSource }) =>
    `The token comes from ${tokenSource ?? source}. Give another with --token or ASSAY_TOKEN; \`assay token create\` makes one.`,
  forbidden: () =>
    'Use an operator token: the tokens of agents and gates are good for their own attempt only.',
  not_found: (_, path) => {
    const { list, of } = lookAt(path);
    return `\`${list}\` lists the ${of} that exist.`;
  },
  version_mismatch: () => 'Look at it again with `assay task ID`, then repeat the command.',
  conflict: (_, path) => `\`${lookAt(path).show}\` shows the state and why.`,
  id_taken: () => 'Choose another `id`, or leave it out and one is made.',
  dependency_unknown: () => 'Submit the dependency first, or in the same file.',
  internal: ({ url }) => `The fault is on the side of ${url}; its logs carry the request id.`,
};

const isKnown = (code: string): code is RefusalCode => Object.hasOwn(PROBLEMS, code);

/** `/tasks/1/title` as `tasks[1].title`; `?status` and `{id}` stay what they are. */
export const formatPointer = (pointer: string): string =>
  pointer.startsWith('/')
    ? pointer
        .slice(1)
        .split('/')
        .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce((path, segment) =>
          /^\d+$/.test(segment) ? `${path}[${segment}]` : path === '' ? segment : `${path}.${segment}`,
        )
    : pointer || '(body)';

/**
 * What API Gateway answers by itself, as an error for people: it says one word, so what it means is said here. Undefined for what it
 * does not answer.
 */
export function createGatewayError(
  status: number,
  body: unknown,
  connection: Connection,
): CliError | undefined {
  if (!GatewayErrorResponse.safeParse(body).success) return undefined;
  if (status === 429)
    return new CliError(
      CLI_EXIT_CODES.failed,
      'too_many_requests',
      'The API takes no more requests just now.',
      {
        hint: 'Wait for a few seconds, then repeat the command.',
      },
    );
  if (status !== 401 && status !== 403) return undefined;
  const fresh =
    status === 403
      ? ` What was made new may take ${AUTHORIZER_CACHE_SECONDS} seconds to be known where it was refused before.`
      : '';
  return new CliError(CLI_EXIT_CODES.usage, 'unauthenticated', `${GATEWAY_ERRORS[status]}.`, {
    hint: `${HINTS.unauthenticated?.(connection, '')}${fresh}`,
  });
}

/** What a route refuses as an error for people: the detail, each refused field, and what to do next. */
export function createProblemError(problem: ProblemDetails, connection: Connection, path: string): CliError {
  const code = isKnown(problem.code) ? problem.code : undefined;
  const exitCode =
    (code && EXIT_OF[code]) ??
    (problem.status >= 400 && problem.status < 500 ? CLI_EXIT_CODES.usage : CLI_EXIT_CODES.failed);
  const details = (problem.errors ?? []).map(({ pointer, message }) => ({
    where: formatPointer(pointer),
    message,
  }));
  const id = problem.request_id === undefined ? '' : ` (request ${problem.request_id})`;
  // The detail of a field refusal repeats the fields, which stand below one by one.
  const text =
    details.length > 0 || problem.detail === '' ? problem.title : `${problem.title}: ${problem.detail}`;
  return new CliError(exitCode, problem.code, `${text}${problem.status >= 500 ? id : ''}`, {
    hint: code && HINTS[code]?.(connection, path),
    details,
  });
}
