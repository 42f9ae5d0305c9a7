import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnRoute,
  type CfnStage,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaAuthorizer, HttpLambdaResponseType } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { AUTHORIZER_CACHE_SECONDS } from '../shared/api/api-gateway.ts';
import { WEB_PAGE_PATHS } from '../shared/api/page-paths.ts';
import {
  API_FUNCTION_NAMES,
  type ApiFunctionName,
  ROUTES,
  type RouteDefinition,
} from '../shared/api/routes.ts';
import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import type { OidcIssuers } from '../shared/control/oidc/oidc-settings.ts';
import { FAULT_PERIOD, type StackAlarms } from './alarms.ts';
import type { WorkAndRecordBuckets } from './buckets.ts';
import { type CommonConstructProps, ServiceFunction } from './function.ts';
import { buildVendedLogGroupName } from './log-groups.ts';
import type { TasksTable } from './tasks-table.ts';
import { buildRouteThrottles, UNAUTHENTICATED_THROTTLE } from './throttles.ts';

export interface TaskHttpApiProps {
  readonly common: CommonConstructProps;
  readonly alarms: StackAlarms;
  readonly table: TasksTable;
  readonly storage: WorkAndRecordBuckets;
  readonly environments: Readonly<Record<ApiFunctionName, Record<string, string>>>;
  /** Issuers of identity tokens. @default - opaque tokens alone */
  readonly oidc?: OidcIssuers | undefined;
  /** Invocations at a time that are kept for the authorizer, and for what boxes report to; 0: none are. */
  readonly concurrency: { readonly authorizer: number; readonly work: number };
}

/** Below the 30 seconds after which API Gateway gives up. */
const TIMEOUT = Duration.seconds(20);

/**
 * Returns the integration of a function, with one permission for all routes of the API: one for each route would be a
 * fifth of all resources of the stack.
 */
const integrationOf = (name: string, { lambda }: ServiceFunction): HttpLambdaIntegration =>
  new HttpLambdaIntegration(name, lambda, { scopePermissionToRoute: false });

const DESCRIPTIONS: Readonly<Record<ApiFunctionName, string>> = {
  'api-submit': 'Submits tasks, and does what an operator says about them',
  'api-work': 'Serves agents and boxes: claims, leases, reports',
  'api-upload': 'Signs what boxes may put into the bucket',
  'api-evidence': 'Takes the evidence of the gates box',
  'api-read': 'Reads tasks, attempts and counts',
  'api-webhook': 'Takes what forges tell: their signature is looked at, and nothing else believed',
};

/** The HTTP API: its routes are those of the route table, and all but the public ones stand behind the authorizer. */
export class TaskHttpApi extends Construct {
  readonly api: HttpApi;
  readonly functions: Readonly<Record<ApiFunctionName, ServiceFunction>>;
  private readonly routes: HttpRoute[] = [];

  constructor(scope: Construct, id: string, props: TaskHttpApiProps) {
    super(scope, id);
    const { common, table, storage } = props;
    const make = (name: ApiFunctionName) =>
      new ServiceFunction(this, name, {
        common,
        name,
        description: DESCRIPTIONS[name],
        timeout: TIMEOUT,
        environment: { ...props.environments[name], [FUNCTION_ENV_NAMES.table]: table.table.tableName },
        ...(name === 'api-work' && { reservedConcurrency: props.concurrency.work }),
      });
    this.functions = {
      'api-submit': make('api-submit'),
      'api-work': make('api-work'),
      'api-upload': make('api-upload'),
      'api-evidence': make('api-evidence'),
      'api-read': make('api-read'),
      'api-webhook': make('api-webhook'),
    };
    for (const each of Object.values(this.functions)) table.allow(each);
    // Hidden tests that come with a task. It cannot read them again.
    storage.allowOnce(this.functions['api-submit'], ['hidden/']);
    // Patches that come with a request. All that is written here is named by its content, and written once.
    storage.allowOnce(this.functions['api-work'], ['artifacts/']);
    storage.allowOnce(this.functions['api-evidence'], ['evidence/']);
    // What an attempt has left, for whoever may read its task; no assignment, which holds tokens, and no hidden tests.
    storage.allow(this.functions['api-read'], ['GetObject'], ['artifacts/', 'evidence/']);
    // To sign URLs: a signed URL can do what its signer may.
    storage.allowOnce(this.functions['api-upload'], ['artifacts/']);
    storage.allow(this.functions['api-upload'], ['GetObject', 'PutObject'], ['memory/']);

    this.api = new HttpApi(this, 'HttpApi', {
      description: 'Assay',
      createDefaultStage: false,
      // What needs no authorizer says so itself; a route that says nothing is closed.
      defaultAuthorizer: this.authorizer(props),
    });
    this.addRoutes();
    this.addPage(common);
    this.addStage(common);
    props.alarms.add(this, 'ServerErrors', {
      metric: this.api.metricServerError({ period: FAULT_PERIOD, statistic: 'Sum' }),
      threshold: 1,
      meaning: 'The API has answered with 5xx.',
      runbook: 'api-server-errors',
    });
  }

  /** Without a slash at the end. */
  get url(): string {
    return this.api.apiEndpoint;
  }

  private authorizer({ common, table, oidc, concurrency }: TaskHttpApiProps): HttpLambdaAuthorizer {
    const authorize = new ServiceFunction(this, 'api-authorizer', {
      common,
      name: 'api-authorizer',
      description: 'Says whose token a request carries',
      timeout: Duration.seconds(10),
      // Issuers may have a certificate of a private authority.
      callsOut: oidc !== undefined,
      environment: {
        [FUNCTION_ENV_NAMES.table]: table.table.tableName,
        ...(oidc && { [FUNCTION_ENV_NAMES.oidc]: JSON.stringify(oidc) }),
      },
      reservedConcurrency: concurrency.authorizer,
    });
    table.allow(authorize);
    return new HttpLambdaAuthorizer('Authorizer', authorize.lambda, {
      responseTypes: [HttpLambdaResponseType.SIMPLE],
      // Who sends no token is refused by API Gateway, and nothing of ours is asked.
      identitySource: ['$request.header.Authorization'],
      resultsCacheTtl: Duration.seconds(AUTHORIZER_CACHE_SECONDS),
    });
  }

  private addRoutes(): void {
    const integrations = new Map(
      API_FUNCTION_NAMES.map((name) => [name, integrationOf(name, this.functions[name])]),
    );
    for (const route of Object.values(ROUTES) as RouteDefinition[]) {
      const integration = integrations.get(route.function);
      if (!integration) throw new Error(`${route.path} names the unknown function ${route.function}`);
      const isPublic = route.callers.includes('anyone');
      const [added] = this.api.addRoutes({
        path: route.path,
        methods: [HttpMethod[route.method]],
        integration,
        ...(isPublic && { authorizer: new HttpNoneAuthorizer() }),
      });
      if (added) this.routes.push(added);
      if (isPublic && added)
        this.acknowledgeOpen(
          added,
          route.isSigned
            ? 'A forge has no token; it signs what it sends, and what is not signed is refused.'
            : 'Says only that the API is up; load balancers and probes have no token.',
        );
    }
    this.addDefaultRoute(integrations.get('api-read') as HttpLambdaIntegration);
  }

  /** The page is served by a function that holds nothing and may do nothing; what it shows, it asks the API for, with a token. */
  private addPage(common: CommonConstructProps): void {
    const page = new ServiceFunction(this, 'page', {
      common,
      name: 'page',
      description: 'Serves the page and its files',
      timeout: Duration.seconds(10),
      environment: {},
    });
    const integration = integrationOf('page', page);
    for (const path of Object.values(WEB_PAGE_PATHS)) {
      const added = this.api.addRoutes({
        path,
        methods: [HttpMethod.GET],
        integration,
        authorizer: new HttpNoneAuthorizer(),
      });
      for (const route of added)
        this.acknowledgeOpen(route, 'Files that are the same for everybody: what they show needs a token.');
      this.routes.push(...added);
    }
  }

  private acknowledgeOpen(route: HttpRoute, reason: string): void {
    Validations.of(route).acknowledge({ id: 'AwsSolutions-APIG4', reason });
  }

  /** What has no route of its own is answered by us too: API Gateway's own 404 says nothing, and knows no 405. */
  private addDefaultRoute(integration: HttpLambdaIntegration): void {
    this.routes.push(
      new HttpRoute(this, 'Default', { httpApi: this.api, routeKey: HttpRouteKey.DEFAULT, integration }),
    );
  }

  private addStage(common: CommonConstructProps): void {
    const log = new LogGroup(this, 'AccessLog', {
      logGroupName: buildVendedLogGroupName(this, 'api'),
      retention: common.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: UNAUTHENTICATED_THROTTLE,
      accessLogSettings: {
        destination: new LogGroupLogDestination(log),
        // No header and no query: a token must not end up in a log.
        format: AccessLogFormat.custom(
          JSON.stringify({
            time: '$context.requestTime',
            request_id: '$context.requestId',
            route: '$context.routeKey',
            status: '$context.status',
            latency_ms: '$context.responseLatency',
            caller: '$context.authorizer.principal',
            authorizer_error: '$context.authorizer.error',
            integration_error: '$context.integrationErrorMessage',
            source_ip: '$context.identity.sourceIp',
          }),
        ),
      },
    });
    const resource = stage.node.defaultChild as CfnStage;
    resource.routeSettings = Object.fromEntries(
      [...buildRouteThrottles()].map(([key, { rateLimit, burstLimit }]) => [
        key,
        { ThrottlingRateLimit: rateLimit, ThrottlingBurstLimit: burstLimit },
      ]),
    );
    // Settings of a route that is not there yet are refused.
    for (const route of this.routes) resource.addResourceDependency(route.node.defaultChild as CfnRoute);
  }
}
