import { GATEWAY_ERRORS, GatewayErrorResponse } from '../../shared/api/api-gateway.ts';
import { API_REFUSALS, ProblemDetails } from '../../shared/api/problem.ts';
import { ClaimResponse } from '../../shared/api/report-schemas.ts';
import { refusalCodesOf } from '../../shared/api/route-refusals.ts';
import {
  PATH_PARAMETERS,
  ROUTES,
  type RouteDefinition,
  type RouteName,
  takesIdempotencyKey,
} from '../../shared/api/routes.ts';
import { AttemptList, TaskView } from '../../shared/api/task-schemas.ts';
import { rolesWithRight } from '../../shared/contract/access/rights.ts';
import type { RefusalCode } from '../../shared/contract/refusal.ts';
import { ASSAY_VERSION } from '../../shared/lib/version.ts';
import { BODY_EXAMPLES } from './examples.ts';
import { Components, type Json, type JsonObject } from './schemas.ts';

const PROBLEM_CONTENT: JsonObject = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
};

/** Of who calls: API Gateway refuses strangers with a word of its own, we refuse the rest. */
function contentOf(status: number, route: RouteDefinition): JsonObject {
  if (!(status in GATEWAY_ERRORS) || route.callers.includes('anyone')) return PROBLEM_CONTENT;
  return {
    ...PROBLEM_CONTENT,
    'application/json': { schema: { $ref: '#/components/schemas/GatewayErrorResponse' } },
  };
}

const gatewayWords = (status: number, route: RouteDefinition): string =>
  !(status in GATEWAY_ERRORS) || route.callers.includes('anyone')
    ? ''
    : `. Of API Gateway itself: ${GATEWAY_ERRORS[status as keyof typeof GATEWAY_ERRORS]}`;

function refusals(route: RouteDefinition): JsonObject {
  const byStatus = new Map<number, RefusalCode[]>();
  for (const code of refusalCodesOf(route)) {
    const { status } = API_REFUSALS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [
        String(status),
        {
          description:
            codes.map((code) => `\`${code}\`: ${API_REFUSALS[code].title}`).join('. ') +
            gatewayWords(Number(status), route),
          content: contentOf(Number(status), route),
        },
      ]),
  );
}

/** What API Gateway answers by itself, before anything of ours is asked: no problem documents. */
const GATEWAY_ANSWERS: JsonObject = {
  '429': {
    description: 'More requests than this route takes; try again',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/GatewayErrorResponse' } } },
  },
  '431': { description: 'Request line and headers are larger than API Gateway takes' },
};

const HEADER_PARAMETERS = {
  key: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'The same key with the same request changes nothing twice, and has the same answer; with another request it is refused.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'ETag of the state that you have seen; refused when the task has changed since.',
    schema: { type: 'string' },
  },
} as const;

function parameters(route: RouteDefinition, components: Components): Json[] {
  const found: Json[] = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: components.add(PATH_PARAMETERS[name as keyof typeof PATH_PARAMETERS], 'input'),
  }));
  if (route.query) {
    const { properties = {}, required = [] } = components.add(route.query, 'input') as {
      properties?: Record<string, JsonObject>;
      required?: readonly string[];
    };
    for (const [name, { description, ...schema }] of Object.entries(properties))
      found.push({
        name,
        in: 'query',
        ...(required.includes(name) ? { required: true } : {}),
        ...(description === undefined ? {} : { description }),
        schema,
      });
  }
  if (takesIdempotencyKey(route)) found.push(HEADER_PARAMETERS.key);
  if (route.takesIfMatch) found.push(HEADER_PARAMETERS.ifMatch);
  return found;
}

function requestBody(name: RouteName, route: RouteDefinition, components: Components): JsonObject {
  if (!route.body) return {};
  const examples = BODY_EXAMPLES[name];
  const content = {
    schema: components.add(route.body, 'input'),
    ...(examples === undefined
      ? {}
      : {
          examples: Object.fromEntries(Object.entries(examples).map(([key, value]) => [key, { value }])),
        }),
  };
  return { requestBody: { required: true, content: { 'application/json': content } } };
}

/** The ETag goes with every answer that is one task. */
const answersTask = (schema: JsonObject): boolean => schema['$ref'] === '#/components/schemas/Task';

/** Answers of reads that carry the version of a task. */
const HAS_VERSION: ReadonlySet<RouteDefinition['response']> = new Set([TaskView, AttemptList, ClaimResponse]);

function success(route: RouteDefinition, components: Components): JsonObject {
  const schema = components.add(route.response, 'output');
  const headers: JsonObject = answersTask(schema)
    ? {
        headers: {
          ETag: {
            description: 'Version of the task; while an agent works on it, also until when its lease runs',
            schema: { type: 'string' },
          },
        },
      }
    : {};
  const answer: JsonObject = { ...headers, content: { 'application/json': { schema } } };
  return {
    [String(route.status ?? 200)]: { description: 'Done', ...answer },
    ...(route.method === 'GET' && HAS_VERSION.has(route.response)
      ? { '304': { description: 'Still as the ETag in If-None-Match says' } }
      : {}),
    ...(route.canBePartial
      ? { '207': { description: 'Some were refused; `results` says which', ...answer } }
      : {}),
    ...(route.isIdempotent
      ? { '200': { description: 'Done before under the same key or id; nothing has changed', ...answer } }
      : {}),
  };
}

/** What the token of an operator must be made as. */
const rolesOf = ({ right }: RouteDefinition): string =>
  right === undefined ? '' : ` Operators need a token of the role ${rolesWithRight(right).join(' or ')}.`;

function operation(name: RouteName, route: RouteDefinition, components: Components): JsonObject {
  const secured = !route.callers.includes('anyone');
  const all = parameters(route, components);
  return {
    operationId: name,
    summary: route.summary,
    description: secured
      ? `Callers: ${route.callers.join(', ')}.${rolesOf(route)} Tokens of agent, gates and deliver are good for their own attempt only.`
      : 'Needs no token.',
    tags: [secured ? (route.callers[0] ?? '') : 'anyone'],
    ...(secured ? {} : { security: [] }),
    ...(all.length > 0 ? { parameters: all } : {}),
    ...requestBody(name, route, components),
    responses: { ...success(route, components), ...refusals(route), ...GATEWAY_ANSWERS },
  };
}

/** The OpenAPI 3.1 document of the API, from the route table and its schemas. */
export function openapi(): JsonObject {
  const components = new Components();
  components.add(ProblemDetails, 'output');
  components.add(GatewayErrorResponse, 'output');
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, route] of Object.entries(ROUTES) as [RouteName, RouteDefinition][]) {
    const path = paths[route.path] ?? {};
    path[route.method.toLowerCase()] = operation(name, route, components);
    paths[route.path] = path;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Assay',
      version: ASSAY_VERSION,
      summary: 'A quality pipeline for the work of coding agents',
      description:
        'Nothing is done because an agent said so. Errors are RFC 9457 problem documents with a stable `code`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: '{api_url}',
        description: 'Stack output ApiUrl, or what `assay up` prints',
        variables: { api_url: { default: 'http://127.0.0.1:8080' } },
      },
    ],
    security: [{ token: [] }],
    tags: [
      { name: 'operator', description: 'People and their scripts' },
      { name: 'agent', description: 'The agent of one attempt' },
      { name: 'gates', description: 'The clean container that gathers evidence on one attempt' },
      { name: 'deliver', description: 'The container that pushes what has passed' },
      { name: 'anyone', description: 'Without a token' },
    ],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Operators: `assay token create`' },
      },
      schemas: components.all(),
    },
  };
}
