import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import * as z from 'zod';
import { AgentAdapterSettings, CliKindList } from '../shared/contract/agents/adapter.ts';
import { DEFAULT_AGENT_CLI } from '../shared/contract/agents/adapter-manifests.ts';
import { DEFAULT_TIER_MODELS, TierModels } from '../shared/contract/agents/tiers.ts';
import { AutonomyLevel } from '../shared/contract/approval/autonomy.ts';
import { DEFAULT_MAX_ATTEMPT_USD } from '../shared/contract/models/model-providers.ts';
import { CredentialUrlPrefix } from '../shared/contract/repository/schema.ts';
import {
  DEFAULT_REVIEW_HOLD_LIMIT,
  REVIEW_HOLD_EXPIRY_OUTCOMES,
} from '../shared/contract/task/hold-limit.ts';
import { DEFAULT_APPROVAL_SETTINGS } from '../shared/control/approvals/approval-settings.ts';
import { ApprovalTimeoutPolicy } from '../shared/control/approvals/timeout-policy.ts';
import { TierPolicySettings } from '../shared/control/cascade/learning/cascade-policy.ts';
import { PublishedRecordTables } from '../shared/control/events/record-events.ts';
import { ForgeSettings } from '../shared/control/forge/forge-settings.ts';
import { VERIFICATION_NUDGE_SETTINGS } from '../shared/control/ledger/nudge-rules.ts';
import { NotifyTargets } from '../shared/control/notify/notify-settings.ts';
import { OidcIssuers } from '../shared/control/oidc/oidc-settings.ts';
import { OtlpEndpoint } from '../shared/control/telemetry/otlp-endpoint.ts';
import { ObjectLock } from './buckets.ts';
import { findContainerCapacityProblem } from './container-capacity.ts';
import { DeliveryFunctionSize, FargateContainerSize } from './container-size.ts';
import { DeploymentStage, StackName, StackTags } from './deployment.ts';
import { ExistingNetworkSetting } from './existing-network-setting.ts';
import {
  EcrImage,
  IMAGE_ARCHITECTURES,
  IMAGE_BUILD_METHODS,
  PackageMirrors,
  ToolchainImagesSetting,
} from './images.ts';
import { findModelSettingProblems, MODEL_SETTINGS } from './model-settings.ts';
import { NETWORK_MODES } from './network.ts';
import { readCaBundle } from './private-ca.ts';
import { concurrency, json } from './setting-values.ts';

const LOG_RETENTION_DAYS = Object.values(RetentionDays).filter((value) => typeof value === 'number');

const secretArn = z
  .string()
  .regex(
    /^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:.+-[A-Za-z0-9]{6}$/,
    'must be the complete ARN of a secret',
  );
const count = z.coerce.number().int().min(1);
/** Fargate's default quota, on demand and on Spot. */
const vcpus = z.coerce.number().min(1).max(100_000).default(6);

const days = z.coerce.number().int().min(1).max(3_650);

/** What a deployment may choose: `cdk deploy -c assay:<name>=<value>`, or `"assay:<name>"` in the context of cdk.json. */
export const DeploymentSettingFields = z.strictObject({
  stackName: StackName.default('Assay').describe(
    'Of the stack; the prefix of everything that has a fixed name.',
  ),
  stage: DeploymentStage.optional().describe('Goes behind the name of the stack, and on every tag.'),
  tags: json(StackTags).prefault({}).describe('JSON of tags for everything that can have some.'),
  vpc: json(ExistingNetworkSetting)
    .optional()
    .describe(
      'JSON of a network that is there already: {"vpc", "subnets", "security_groups", "public_addresses"}.',
    ),
  zones: json(
    z
      .array(z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d[a-z]$/, 'must be an availability zone'))
      .min(1)
      .max(3),
  )
    .optional()
    .describe(
      'JSON list of the availability zones of our own network; two of the region when it is not given.',
    ),
  keyArn: z
    .string()
    .regex(/^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/, 'must be the ARN of a KMS key')
    .optional()
    .describe('Key of your own that encrypts the table and the bucket.'),
  network: z
    .enum(NETWORK_MODES)
    .default('public-no-ingress')
    .describe('Where boxes run; docs/how-to/deploy.md has the price of each mode.'),
  alarmEmail: z.email().optional().describe('Gets every alarm.'),
  notifyEmail: z
    .email()
    .optional()
    .describe('Hears of each task that waits for a person, has failed, or was completed without evidence.'),
  alarmFailedTasks: count.default(5).describe('Alarm when so many tasks fail within an hour.'),
  alarmLostContainers: count.default(10).describe('Alarm when so many boxes are lost within an hour.'),
  alarmModelUsd: z.coerce
    .number()
    .positive()
    .default(100)
    .describe('Alarm when so many dollars go to models within a day.'),
  images: json(ToolchainImagesSetting)
    .prefault({})
    .describe('JSON of name to toolchain image: of ours (python, node, go, rust), or two images by digest.'),
  imageBuild: z
    .enum(IMAGE_BUILD_METHODS)
    .default('docker')
    .describe('Who builds images: Docker where the deploy runs, or CodeBuild in the account.'),
  architecture: z
    .enum(IMAGE_ARCHITECTURES)
    .default('arm64')
    .describe('Of containers and of the function that delivers; their images are built for it.'),
  mirrors: json(PackageMirrors)
    .prefault({})
    .describe('JSON of the mirrors that images are built from and containers use: {"debian", "npm", "pip"}.'),
  deliverImage: EcrImage.optional().describe(
    'Image of the function that delivers, in ECR by its digest, in place of building it.',
  ),
  delivery: json(DeliveryFunctionSize)
    .prefault({})
    .describe(
      'JSON of what one delivery may use: memory (MiB), disk (MiB), seconds. A repository that needs more is told so.',
    ),
  deliverConcurrency: concurrency.describe(
    'Lambda executions reserved for deliveries, and their limit: nothing else can use them up. 0 reserves none.',
  ),
  defaultAdapter: json(AgentAdapterSettings)
    .prefault({ kind: DEFAULT_AGENT_CLI })
    .describe('JSON of the adapter of tasks that name none.'),
  agentClis: json(CliKindList)
    .prefault([DEFAULT_AGENT_CLI])
    .describe(
      'JSON list of the agent CLIs that the image brings beside that of defaultAdapter; `assay adapters list` has them.',
    ),
  agentContainer: json(FargateContainerSize)
    .prefault({ cpu: 1_024, memory: 4_096 })
    .describe('JSON of the size of the agent box: cpu (1,024 is one vCPU), memory (MiB), disk (GiB).'),
  gatesContainer: json(FargateContainerSize)
    .prefault({ cpu: 1_024, memory: 4_096 })
    .describe('The same for the gates box: builds and tests run in it.'),
  vcpus: vcpus.describe(
    'Boxes that take more vCPUs together wait: the quota of the account for Fargate on demand, or what Assay may have of it.',
  ),
  spotVcpus: vcpus.describe('The same for Fargate Spot.'),
  spot: json(z.array(z.enum(['agent', 'gates'])).max(2))
    .prefault(['gates'])
    .describe('JSON list of the boxes that run on Fargate Spot: cheaper, and taken away at times.'),
  tierModels: json(TierModels).prefault(DEFAULT_TIER_MODELS).describe('JSON of tier to model id.'),
  cascade: json(TierPolicySettings)
    .prefault({})
    .describe('JSON of how the cascade chooses where to begin, and of budgets: docs/reference/cascade.md.'),
  ...MODEL_SETTINGS,
  authorizerConcurrency: concurrency.describe(
    'Lambda executions reserved for looking up tokens, and their limit: a flood of invalid tokens uses up no others.',
  ),
  workConcurrency: concurrency.describe(
    'Lambda executions reserved for reports of containers and outside agents: no other caller can use them up.',
  ),
  maxAttemptUsd: z.coerce
    .number()
    .positive()
    .max(10_000)
    .default(DEFAULT_MAX_ATTEMPT_USD)
    .describe('Dollars that one attempt may spend on models, whatever its task allows.'),
  leaseSeconds: z.coerce
    .number()
    .int()
    .min(30)
    .max(3_600)
    .default(120)
    .describe('An agent that is silent for longer has lost its task.'),
  holdDays: z.coerce
    .number()
    .positive()
    .max(3_650)
    .default(DEFAULT_REVIEW_HOLD_LIMIT.days)
    .describe('So long a person may decide about work that is held.'),
  holdOutcome: z
    .enum(REVIEW_HOLD_EXPIRY_OUTCOMES)
    .default(DEFAULT_REVIEW_HOLD_LIMIT.expiry_outcome)
    .describe(
      'What happens when nobody has: `fail` ends the task, `reject` refuses the work, and a stronger model tries. Nothing is let out.',
    ),
  autonomy: AutonomyLevel.default(DEFAULT_APPROVAL_SETTINGS.autonomy),
  approvals: json(ApprovalTimeoutPolicy)
    .default(DEFAULT_APPROVAL_SETTINGS.timeout_policy)
    .describe(
      'JSON: what becomes of an approval that nobody decides: wait, deny, tiered or escalation (docs/how-to/approvals.md).',
    ),
  ...VERIFICATION_NUDGE_SETTINGS,
  recordEvents: json(PublishedRecordTables)
    .default([])
    .describe(
      'JSON list of the tables of records whose rows are events of the bus, too: `["quality_gates"]`.',
    ),
  otlpEndpoint: OtlpEndpoint.optional().describe(
    'Where a trace of each task that has ended is sent to, by OTLP over HTTP: `https://collector.example/v1/traces`.',
  ),
  otlpSecretArn: secretArn
    .optional()
    .describe('Secrets Manager secret with the headers for it, as JSON: `{"authorization": "Bearer …"}`.'),
  caFile: z
    .string()
    .transform((path, context) => {
      try {
        return readCaBundle(path);
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
        return z.NEVER;
      }
    })
    .optional()
    .describe(
      'PEM file of certificate authorities of your own, which containers, functions and image builds trust beside the public ones.',
    ),
  gitSecretArn: secretArn
    .optional()
    .describe(
      'Secret with what private repositories are read with, and a GitHub App pushes with; docs/how-to/deploy.md has its format.',
    ),
  readScopes: json(z.array(CredentialUrlPrefix).min(1).max(100))
    .optional()
    .describe('JSON of the URL prefixes that gitSecretArn has credentials for.'),
  deliverySecretArn: secretArn
    .optional()
    .describe('Secret with the credentials that are pushed with; docs/how-to/deploy.md has its format.'),
  pushScopes: json(z.array(CredentialUrlPrefix).min(1).max(100))
    .optional()
    .describe(
      'JSON of the URL prefixes that the secret has credentials for; a task for another repository is refused.',
    ),
  forgeSecretArn: secretArn
    .optional()
    .describe(
      'Secret with what is said at forges, and what their events are signed with; docs/how-to/forges.md has its format.',
    ),
  forges: json(ForgeSettings)
    .optional()
    .describe('JSON list of the forges that are told of tasks: docs/how-to/forges.md.'),
  oidc: json(OidcIssuers)
    .optional()
    .describe(
      'JSON list of the issuers of identity tokens, and of what their claims allow: docs/how-to/sign-in.md.',
    ),
  notifySecretArn: secretArn
    .optional()
    .describe(
      'Secret with addresses and keys of the targets of notifications; docs/how-to/notifications.md has its format.',
    ),
  notify: json(NotifyTargets)
    .optional()
    .describe('JSON list of chats and webhooks that are told of tasks: docs/how-to/notifications.md.'),
  keepVersionsDays: days
    .optional()
    .describe('The bucket is versioned, and what is replaced or removed is kept for so long.'),
  accessLogBucket: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional()
    .describe('Bucket of yours that takes the access logs of ours.'),
  objectLock: json(ObjectLock)
    .optional()
    .describe(
      'JSON of {"mode", "days"}: evidence and records lie in a bucket of their own, where nobody changes or removes them before.',
    ),
  artifactRetentionDays: days.default(90).describe('Patches, transcripts, hidden tests and evidence.'),
  recordRetentionDays: days.default(400).describe('Records that Athena reads.'),
  logRetentionDays: z.coerce
    .number()
    .pipe(z.literal(LOG_RETENTION_DAYS))
    .default(RetentionDays.ONE_MONTH)
    .describe('One of the periods that CloudWatch Logs offers.'),
  scanLimitMiB: z.coerce
    .number()
    .int()
    // Athena's own minimum.
    .min(10)
    .default(1_024)
    .describe('A query that would read more is stopped.'),
  onDelete: z
    .enum(['retain', 'destroy'])
    .default('retain')
    .describe('What happens to the table, the bucket and the key when the stack is deleted.'),
});
export const DeploymentSettings = DeploymentSettingFields.refine(
  ({ vpc, zones }) => vpc === undefined || zones === undefined,
  {
    path: ['zones'],
    message: 'is of a network of ours; assay:vpc has its own',
  },
)
  .refine(({ gitSecretArn, readScopes }) => (gitSecretArn === undefined) === (readScopes === undefined), {
    path: ['readScopes'],
    message: 'goes with assay:gitSecretArn: set both, or neither',
  })
  .refine(
    ({ deliverySecretArn, pushScopes }) => deliverySecretArn === undefined || pushScopes !== undefined,
    {
      path: ['pushScopes'],
      message: 'goes with assay:deliverySecretArn: set both, or neither',
    },
  )
  .refine(
    ({ deliverySecretArn, gitSecretArn, pushScopes }) =>
      pushScopes === undefined || deliverySecretArn !== undefined || gitSecretArn !== undefined,
    {
      path: ['pushScopes'],
      message: 'goes with assay:deliverySecretArn, or with a GitHub App in assay:gitSecretArn',
    },
  )
  .refine(({ forgeSecretArn, forges }) => (forgeSecretArn === undefined) === (forges === undefined), {
    path: ['forges'],
    message: 'goes with assay:forgeSecretArn: set both, or neither',
  })
  .refine(({ notifySecretArn, notify }) => (notifySecretArn === undefined) === (notify === undefined), {
    path: ['notify'],
    message: 'goes with assay:notifySecretArn: set both, or neither',
  })
  .refine(({ otlpSecretArn, otlpEndpoint }) => otlpSecretArn === undefined || otlpEndpoint !== undefined, {
    path: ['otlpEndpoint'],
    message: 'goes with assay:otlpSecretArn: set both, or the endpoint alone',
  })
  .superRefine((settings, context) => {
    const capacity = findContainerCapacityProblem(settings);
    const problems = [...findModelSettingProblems(settings), ...(capacity ? [capacity] : [])];
    for (const problem of problems) context.addIssue({ code: 'custom', ...problem });
  });
export type DeploymentSettings = z.infer<typeof DeploymentSettings>;

/** Names of the settings that are not as by default. */
export function listNonDefaultSettings(settings: DeploymentSettings): string[] {
  const usual: Record<string, unknown> = DeploymentSettings.parse({});
  return Object.entries(settings)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(usual[name]))
    .map(([name]) => name);
}

const PREFIX = 'assay:';

/** Checks settings. @param prefix what goes before their names where they are written @throws Error that names each wrong key */
export function parseSettings(given: unknown, prefix: string): DeploymentSettings {
  const result = DeploymentSettings.safeParse(given);
  if (result.success) return result.data;
  const problems = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${prefix}${[...issue.path, key].join('.')} is not a setting`)
      : [`${prefix}${issue.path.join('.')}: ${issue.message}`],
  );
  throw new Error(
    `The ${prefix ? 'context is' : 'settings of Assay are'} wrong:\n  ${problems.join('\n  ')}`,
  );
}

/** Reads and checks the settings in the context. Throws an error that names each wrong key. */
export function readSettings(node: Node): DeploymentSettings {
  const context: Record<string, unknown> = node.getAllContext();
  const given = Object.entries(context).filter(([key]) => key.startsWith(PREFIX));
  return parseSettings(
    Object.fromEntries(given.map(([key, value]) => [key.slice(PREFIX.length), value])),
    PREFIX,
  );
}
