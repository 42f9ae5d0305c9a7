import { ENV } from '../../shared/names.ts';

const arn = (service: string, name: string): string => `arn:aws:${service}:us-east-1:000000000000:${name}`;
export const ARN = {
  cascade: arn('states', 'stateMachine:cascade'),
  janitor: arn('states', 'stateMachine:janitor'),
} as const;

const queue = (name: string): string => `https://sqs.us-east-1.amazonaws.com/000000000000/${name}`;
export const QUEUES = {
  agents: { 1: queue('agents1'), 2: queue('agents2'), 3: queue('agents3') },
  gates: queue('gates'),
} as const;

/** Seconds that a claim lasts without a sign of life. */
export const LEASE_SECONDS = 120;

/** What the template gives the functions. Handlers read it when they are loaded, so this comes first. */
Object.assign(process.env, {
  [ENV.table]: 'tasks',
  [ENV.bucket]: 'bucket',
  [ENV.apiUrl]: 'https://api.simulated/',
  [ENV.cascadeMachine]: ARN.cascade,
  [ENV.janitorMachine]: ARN.janitor,
  [ENV.cluster]: arn('ecs', 'cluster/c'),
  [ENV.agentFamily]: 'agent',
  [ENV.gatesFamily]: 'gates',
  [ENV.deliverFamily]: 'deliver',
  [ENV.eventBus]: 'bus',
  [ENV.leaseSeconds]: String(LEASE_SECONDS),
  [ENV.defaultAdapter]: JSON.stringify({ kind: 'command', argv: ['true'] }),
  [ENV.agentClis]: '[]',
  [ENV.modelVendors]: '[]',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'simulated',
  AWS_SECRET_ACCESS_KEY: 'simulated',
  POWERTOOLS_DEV: 'true',
  POWERTOOLS_METRICS_DISABLED: 'true',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
});
