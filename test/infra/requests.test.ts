import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { WEB_PAGE_PATHS } from '../../shared/api/page-paths.ts';
import { ROUTES, type RouteDefinition, routeKey } from '../../shared/api/routes.ts';
import { LAUNCH_KINDS } from '../../shared/contract/launch-kind.ts';
import { FUNCTION_IDS, only, synthesise } from './synthesise.ts';

const template = synthesise();
const routes = Object.values(ROUTES) as RouteDefinition[];
const stage = only(template, 'AWS::ApiGatewayV2::Stage');
const { RouteSettings, DefaultRouteSettings } = stage.Properties;
const rate = (key: string): number => RouteSettings[key].ThrottlingRateLimit;

it('each route has a limit of its own, set once the route is there', () => {
  expect(new Set(Object.keys(RouteSettings))).toEqual(
    new Set([
      ...routes.map(routeKey),
      ...Object.values(WEB_PAGE_PATHS).map((path) => `GET ${path}`),
      '$default',
    ]),
  );
  const ids = Object.keys(template.findResources('AWS::ApiGatewayV2::Route'));
  expect(stage.DependsOn).toEqual(expect.arrayContaining(ids));
});

it.each(routes.filter(({ callers }) => LAUNCH_KINDS.some((kind) => callers.includes(kind))))(
  'boxes find more room at $method $path than what needs no token or is no route is given',
  (route) => {
    for (const other of [rate('GET /health'), rate('$default'), DefaultRouteSettings.ThrottlingRateLimit])
      expect(rate(routeKey(route))).toBeGreaterThan(other);
  },
);

const reserved = (of: Template, name: keyof typeof FUNCTION_IDS): unknown =>
  Object.entries(of.findResources('AWS::Lambda::Function')).find(([id]) =>
    id.startsWith(FUNCTION_IDS[name]),
  )?.[1]['Properties'].ReservedConcurrentExecutions;

it('reserves no concurrent executions by default: a new account may have ten in all', () => {
  for (const name of Object.keys(FUNCTION_IDS) as (keyof typeof FUNCTION_IDS)[])
    expect(reserved(template, name)).toBeUndefined();
});

it('reserves concurrent executions as the settings say', () => {
  const small = synthesise({ 'assay:authorizerConcurrency': '5', 'assay:workConcurrency': '0' });
  expect([reserved(small, 'api-authorizer'), reserved(small, 'api-work')]).toEqual([5, undefined]);
});
