import { attention, type Finding, ok } from './check.ts';
import type { Deployment } from './deployment.ts';

/** Which check looks at what a setting has changed; null: there is nothing in an account that could be missing for it. A test holds it against the settings of the stack. */
export const LOOKED_AT = {
  stackName: 'stack',
  stage: 'stack',
  tags: null,
  vpc: 'stack',
  zones: 'stack',
  keyArn: 'stack',
  network: 'stack',
  alarmEmail: 'alarm_subscription',
  notifyEmail: 'stack',
  alarmFailedTasks: null,
  alarmLostBoxes: null,
  alarmModelUsd: null,
  images: 'images',
  imageBuild: 'images',
  deliverImage: 'images',
  delivery: null,
  deliverConcurrency: 'lambda_concurrency',
  defaultAdapter: null,
  agentClis: null,
  agentBox: 'fargate_vcpus',
  gatesBox: 'fargate_vcpus',
  vcpus: 'fargate_vcpus',
  spotVcpus: 'fargate_vcpus',
  spot: 'fargate_vcpus',
  tierModels: 'model_access',
  autonomy: null,
  approvals: null,
  cascade: null,
  models: 'model_access',
  judges: 'secrets',
  modelGateway: null,
  modelConcurrency: 'lambda_concurrency',
  authorizerConcurrency: 'lambda_concurrency',
  workConcurrency: 'lambda_concurrency',
  maxAttemptUsd: null,
  leaseSeconds: null,
  holdDays: null,
  holdOutcome: null,
  nudgeThreshold: null,
  nudgeMinCompletions: null,
  nudgeWindow: null,
  nudgeWindowDays: null,
  recordEvents: null,
  otlpEndpoint: null,
  otlpSecretArn: 'secrets',
  caFile: null,
  gitSecretArn: 'secrets',
  readFrom: 'secrets',
  deliverySecretArn: 'secrets',
  deliverTo: 'secrets',
  forgeSecretArn: 'secrets',
  forges: 'secrets',
  keepVersionsDays: null,
  accessLogBucket: 'stack',
  objectLock: 'stack',
  artifactRetentionDays: null,
  recordRetentionDays: null,
  logRetentionDays: null,
  scanLimitMiB: null,
  onDelete: null,
} as const satisfies Readonly<Record<string, string | null>>;

const isKnown = (name: string): name is keyof typeof LOOKED_AT => Object.hasOwn(LOOKED_AT, name);

/** What the deployment was given beside the defaults, and which check looks at it. */
export function settings({ outputs }: Deployment): Finding {
  const given = outputs['Settings'];
  if (given === undefined)
    return attention('the stack does not say what it was given', 'Deploy again: this version says it.');
  const names = given.split(' ').filter((name) => name !== '' && name !== 'none');
  const unknown = names.filter((name) => !isKnown(name));
  if (unknown.length > 0)
    return attention(
      `set, and unknown to this version: ${unknown.join(', ')}`,
      'Ask the doctor of the version that was deployed.',
    );
  if (names.length === 0) return ok('all as by default');
  return ok(
    names
      .map((name) => `${name}${isKnown(name) && LOOKED_AT[name] ? ` (${LOOKED_AT[name]})` : ''}`)
      .join(', '),
  );
}
