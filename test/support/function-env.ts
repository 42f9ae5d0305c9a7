import { ENV } from '../../shared/names.ts';

/** What the template gives the functions, with values that can be read. Import this before any handler. */
export const FUNCTION_ENV: Record<string, string> = {
  [ENV.table]: 'tasks',
  [ENV.bucket]: 'bucket',
  [ENV.apiUrl]: 'https://api.test/',
  [ENV.cascadeMachine]: 'arn:aws:states:us-east-1:000000000000:stateMachine:cascade',
  [ENV.janitorMachine]: 'arn:aws:states:us-east-1:000000000000:stateMachine:janitor',
  [ENV.cluster]: 'arn:aws:ecs:us-east-1:000000000000:cluster/c',
  [ENV.subnets]: 'subnet-1,subnet-2',
  [ENV.securityGroups]: 'sg-1',
  [ENV.assignPublicIp]: 'true',
  [ENV.eventBus]: 'bus',
  [ENV.minter]: 'minter',
  [ENV.readFrom]: '["https://private.test"]',
  [ENV.agentFamily]: 'agent-family',
  [ENV.gatesFamily]: 'gates-family',
  [ENV.deliverFamily]: 'deliver-family',
  [ENV.boxRoom]: JSON.stringify({
    limits: { on_demand: 6_144, spot: 6_144 },
    boxes: {
      agent: { cpu: 1_024, pool: 'on_demand' },
      gates: { cpu: 1_024, pool: 'spot' },
      deliver: { cpu: 512, pool: 'on_demand' },
    },
  }),
  [ENV.defaultAdapter]: JSON.stringify({ kind: 'command', argv: ['true'] }),
  [ENV.modelGateway]: 'https://models.test/',
  [ENV.modelGatewayWitnesses]: 'true',
  [ENV.agentClis]: '["claude"]',
  [ENV.modelVendors]: '["anthropic"]',
  [ENV.modelProviders]: JSON.stringify({}),
  [ENV.judgeModels]: JSON.stringify({}),
  [ENV.judgesKnown]: JSON.stringify({}),
  [ENV.holdLimit]: JSON.stringify({ days: 14, outcome: 'fail' }),
  [ENV.approvalRules]: JSON.stringify({}),
  [ENV.cascadePolicy]: JSON.stringify({}),
  [ENV.maxAttemptUsd]: '25',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  POWERTOOLS_DEV: 'true',
  POWERTOOLS_METRICS_DISABLED: 'false',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
};
Object.assign(process.env, FUNCTION_ENV);

/** A value for all that the template may set, so that every function can be loaded with it. */
export const WHOLE_ENV: Record<string, string> = {
  ...Object.fromEntries(Object.values(ENV).map((name) => [name, '1'])),
  [ENV.tierModels]: '{"haiku":"a","sonnet":"b","opus":"c"}',
  [ENV.imageFamilies]: '{}',
  [ENV.cascadePolicy]: '{}',
  [ENV.judgesKnown]: '{}',
  [ENV.approvalRules]: '{"autonomy":"semi"}',
  [ENV.holdLimit]: '{"days":7,"outcome":"fail"}',
  [ENV.deliverTo]: '[]',
  [ENV.forges]: '',
  [ENV.launchQueues]: '{"1":"a","2":"b","3":"c","gates":"d"}',
  [ENV.gitSecret]: '{"via":"none"}',
  ...FUNCTION_ENV,
};
