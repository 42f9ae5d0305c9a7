import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';

const arn = (service: string, name: string): string => `arn:aws:${service}:us-east-1:000000000000:${name}`;
export const STATE_MACHINE_ARNS = {
  cascade: arn('states', 'stateMachine:cascade'),
  janitor: arn('states', 'stateMachine:janitor'),
} as const;

const queue = (name: string): string => `https://sqs.us-east-1.amazonaws.com/000000000000/${name}`;
export const QUEUE_URLS = {
  agents: { 1: queue('agents1'), 2: queue('agents2'), 3: queue('agents3') },
  gates: queue('gates'),
} as const;

/** Seconds that a claim lasts without a sign of life. */
export const LEASE_SECONDS = 120;

/** vCPUs of the account, in 1/1,024: few, so that most runs come to the end of them, or as many as a busy day is to have. */
const vcpus = Number(process.env['SIMULATED_VCPUS'] ?? 0) * 1_024;
export const VCPU_QUOTA = vcpus > 0 ? { on_demand: vcpus, spot: vcpus } : { on_demand: 2_048, spot: 1_024 };
/** What a box takes of them, by its family. */
export const CONTAINER_CPU = {
  agent: { cpu: 1_024, pool: 'on_demand' },
  gates: { cpu: 1_024, pool: 'spot' },
} as const;

/** What the template gives the functions. Handlers read it when they are loaded, so this comes first. */
Object.assign(process.env, {
  [FUNCTION_ENV_NAMES.table]: 'tasks',
  [FUNCTION_ENV_NAMES.bucket]: 'bucket',
  [FUNCTION_ENV_NAMES.apiUrl]: 'https://api.simulated/',
  [FUNCTION_ENV_NAMES.cascadeMachine]: STATE_MACHINE_ARNS.cascade,
  [FUNCTION_ENV_NAMES.janitorMachine]: STATE_MACHINE_ARNS.janitor,
  [FUNCTION_ENV_NAMES.cluster]: arn('ecs', 'cluster/c'),
  [FUNCTION_ENV_NAMES.agentFamily]: 'agent',
  [FUNCTION_ENV_NAMES.gatesFamily]: 'gates',
  [FUNCTION_ENV_NAMES.deliverFunction]: 'deliver',
  [FUNCTION_ENV_NAMES.eventBus]: 'bus',
  // Little: most runs come to the end of it.
  [FUNCTION_ENV_NAMES.containerCapacity]: JSON.stringify({
    limits: { on_demand: VCPU_QUOTA.on_demand, spot: VCPU_QUOTA.spot },
    containers: { agent: { ...CONTAINER_CPU.agent }, gates: { ...CONTAINER_CPU.gates } },
  }),
  [FUNCTION_ENV_NAMES.leaseSeconds]: String(LEASE_SECONDS),
  [FUNCTION_ENV_NAMES.defaultAdapter]: JSON.stringify({ kind: 'command', argv: ['true', '{model}'] }),
  // As lax as a deployment can be: time alone allows whatever it may.
  [FUNCTION_ENV_NAMES.approvalSettings]: JSON.stringify({
    timeout_policy: {
      kind: 'tiered',
      tiers: Object.fromEntries(
        ['low', 'medium', 'high', 'critical'].map((risk) => [risk, { minutes: 20, outcome: 'approve' }]),
      ),
    },
  }),
  // A challenger is the only model: its tasks name the mode. Calls of models are no part of the simulation.
  [FUNCTION_ENV_NAMES.modelGateway]: 'https://models.simulated',
  [FUNCTION_ENV_NAMES.modelGatewayMeters]: 'true',
  [FUNCTION_ENV_NAMES.knownJudgeModels]: JSON.stringify({
    challenger: {
      provider: 'openai',
      model: 'challenger',
      family: 'challenger',
      key: { via: 'environment', variable: 'NO_KEY' },
      adapter: { kind: 'command', argv: ['true'] },
    },
  }),
  [FUNCTION_ENV_NAMES.agentClis]: '[]',
  [FUNCTION_ENV_NAMES.modelVendors]: '[]',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'simulated',
  AWS_SECRET_ACCESS_KEY: 'simulated',
  POWERTOOLS_DEV: 'true',
  POWERTOOLS_METRICS_DISABLED: 'true',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
});
