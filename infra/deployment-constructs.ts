import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { selectTierModels } from '../shared/contract/agents/tiers.ts';
import {
  addDefaultReviews,
  dependentJudgeModelProblems,
  type JudgeModels,
} from '../shared/contract/models/judge-models.ts';
import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import { buildVerificationNudgeEnvironment } from '../shared/control/ledger/nudge-rules.ts';
import { challengerAdapter } from '../shared/control/model-gateway/challenger-adapter.ts';
import { StackAlarms } from './alarms.ts';
import { RecordAnalytics } from './analytics.ts';
import { TaskHttpApi } from './api.ts';
import { WorkAndRecordBuckets } from './buckets.ts';
import type { BundleDirectories } from './bundles.ts';
import { buildContainerCapacity } from './container-capacity.ts';
import { CredentialMinter } from './credential-minter.ts';
import { DataEncryptionKey } from './data-encryption-key.ts';
import { DeadLetterHandler } from './dead-letters.ts';
import { PatchDeliveryFunction } from './delivery.ts';
import { LaunchDispatcher } from './dispatcher.ts';
import { DeploymentEventBus } from './events.ts';
import { buildForgeClientEnvironment, buildKnownForgesEnvironment, ForgeStatusReporter } from './forge.ts';
import type { CommonConstructProps } from './function.ts';
import { ContainerImageBuilder } from './image-builds.ts';
import { buildMirrorArguments } from './images.ts';
import { ModelGatewayFunction } from './model-gateway.ts';
import { Notifier } from './notify.ts';
import { Observability } from './observability.ts';
import { PrivateCa } from './private-ca.ts';
import { TaskReconciler } from './reconciler.ts';
import { type DeploymentSettings, listNonDefaultSettings } from './settings.ts';
import { TaskFaultAlarms } from './task-fault-alarms.ts';
import { TaskStreamHandler } from './task-stream-handler.ts';
import { TasksTable } from './tasks-table.ts';
import { TraceExporter } from './traces.ts';
import { VerificationStateMachines } from './verification.ts';
import { WorkQueuesAndContainers } from './work-queues-and-containers.ts';

export interface DeploymentConstructsProps {
  /** Code of the functions and images, see infra/build.ts. */
  readonly bundles: BundleDirectories;
  readonly settings: DeploymentSettings;
}

/** Everything that a deployment is made of, below a stack of ours or a construct in the stack of others. */
export function buildDeploymentConstructs(
  scope: Construct,
  { bundles, settings }: DeploymentConstructsProps,
) {
  const common: CommonConstructProps = {
    bundles,
    logRetention: settings.logRetentionDays as RetentionDays,
    privateCa: settings.caFile ? new PrivateCa(scope, 'PrivateCa', { pem: settings.caFile }) : undefined,
    architecture: settings.architecture,
    imageArguments: buildMirrorArguments(settings.mirrors),
    removalPolicy:
      settings.onDelete === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  };
  const lease = { [FUNCTION_ENV_NAMES.leaseSeconds]: String(settings.leaseSeconds) };
  const tierModels = selectTierModels(settings.defaultAdapter, settings.tierModels);
  const writers = Object.values(tierModels);
  assertIndependentModels(settings.judges, writers);
  // With a gateway of the user's own, gates have no model to ask.
  const judges =
    settings.modelGateway === undefined ? addDefaultReviews(settings.judges, writers) : settings.judges;
  const tiers = { [FUNCTION_ENV_NAMES.tierModels]: JSON.stringify(tierModels) };
  const adapter = { [FUNCTION_ENV_NAMES.defaultAdapter]: JSON.stringify(settings.defaultAdapter) };
  const policy = { [FUNCTION_ENV_NAMES.cascadePolicy]: JSON.stringify(settings.cascade) };
  const { kind } = settings.defaultAdapter;
  const { challenger } = judges;
  const challengerCli = challenger && challengerAdapter(challenger, 0).kind;
  const agentClis = [...new Set([...settings.agentClis, ...(kind === 'command' ? [] : [kind])])];
  const vendors = settings.modelGateway === undefined ? Object.keys(settings.models) : null;
  const agents = {
    ...adapter,
    [FUNCTION_ENV_NAMES.agentClis]: JSON.stringify(agentClis),
    [FUNCTION_ENV_NAMES.modelVendors]: JSON.stringify(vendors),
  };
  const approvals = {
    [FUNCTION_ENV_NAMES.approvalSettings]: JSON.stringify({
      autonomy: settings.autonomy,
      timeout_policy: settings.approvals,
    }),
  };
  const nudge = buildVerificationNudgeEnvironment(settings);

  const alarms = new StackAlarms(scope, 'Alarms', { common, email: settings.alarmEmail });
  const dataKey = settings.keyArn
    ? new DataEncryptionKey(scope, 'DataKey', { arn: settings.keyArn })
    : undefined;
  const table = new TasksTable(scope, 'Tasks', { common, dataKey });
  const storage = new WorkAndRecordBuckets(scope, 'Storage', {
    common,
    dataKey,
    keepVersions: settings.keepVersionsDays ? Duration.days(settings.keepVersionsDays) : undefined,
    accessLogBucket: settings.accessLogBucket,
    objectLock: settings.objectLock,
    artifactRetention: Duration.days(settings.artifactRetentionDays),
    recordRetention: Duration.days(settings.recordRetentionDays),
  });
  const minter = new CredentialMinter(scope, 'Minter', {
    common,
    table,
    secretArn: settings.gitSecretArn,
    readScopes: settings.readScopes ?? [],
  });
  const forge = { secretArn: settings.forgeSecretArn, settings: settings.forges ?? [] };
  const api = new TaskHttpApi(scope, 'Api', {
    common,
    alarms,
    table,
    storage,
    environments: {
      'api-submit': {
        ...storage.environment,
        ...tiers,
        ...policy,
        ...agents,
        ...approvals,
        [FUNCTION_ENV_NAMES.readScopes]: JSON.stringify(settings.readScopes ?? []),
        ...buildKnownForgesEnvironment(forge.settings),
        ...(settings.pushScopes && { [FUNCTION_ENV_NAMES.pushScopes]: JSON.stringify(settings.pushScopes) }),
      },
      'api-work': { ...storage.environment, ...lease, ...tiers, ...approvals },
      'api-upload': storage.environment,
      'api-evidence': storage.environment,
      'api-read': { ...storage.environment, ...nudge, ...tiers, ...policy },
      'api-webhook': {
        ...tiers,
        ...agents,
        ...buildForgeClientEnvironment(forge),
        ...(settings.pushScopes && { [FUNCTION_ENV_NAMES.pushScopes]: JSON.stringify(settings.pushScopes) }),
      },
    },
    oidc: settings.oidc,
    concurrency: { authorizer: settings.authorizerConcurrency, work: settings.workConcurrency },
  });
  const builds =
    settings.imageBuild === 'codebuild'
      ? new ContainerImageBuilder(scope, 'ImageBuilds', { common })
      : undefined;
  const workforce = new WorkQueuesAndContainers(scope, 'Workforce', {
    common,
    alarms,
    networkMode: settings.network,
    ownNetwork: settings.vpc,
    zones: settings.zones,
    images: settings.images,
    builds,
    sizes: { agent: settings.agentContainer, gates: settings.gatesContainer },
    agentClis,
    challengerClis: challengerCli === undefined || challengerCli === 'command' ? [] : [challengerCli],
  });
  const delivery = new PatchDeliveryFunction(scope, 'Delivery', {
    common,
    minter,
    table,
    apiUrl: api.url,
    size: settings.delivery,
    concurrency: settings.deliverConcurrency,
    secretArn: settings.deliverySecretArn,
    image: settings.deliverImage,
    builds,
  });
  const verification = new VerificationStateMachines(scope, 'Verification', {
    common,
    alarms,
    table,
    storage,
    workforce,
    minter,
    judges,
    judgeEnvironment: {
      ...approvals,
      ...policy,
      ...(settings.modelGateway === undefined && { [FUNCTION_ENV_NAMES.modelGatewayMeters]: 'true' }),
    },
    environment: {
      ...tiers,
      ...agents,
      ...policy,
      [FUNCTION_ENV_NAMES.holdLimit]: JSON.stringify({
        days: settings.holdDays,
        expiry_outcome: settings.holdOutcome,
      }),
    },
    resolverEnvironment: workforce.boxes.imageEnvironment,
  });
  const { cascade } = verification;
  const gateway: Record<string, string> = settings.modelGateway
    ? { [FUNCTION_ENV_NAMES.modelGateway]: settings.modelGateway }
    : {
        [FUNCTION_ENV_NAMES.modelGateway]: new ModelGatewayFunction(scope, 'Models', {
          common,
          table,
          providers: settings.models,
          judges,
          concurrency: settings.modelConcurrency,
          endpoint: settings.modelEndpoint,
          network: workforce.network,
          vpcEndpoint: settings.modelVpcEndpoint,
          ownNetwork: settings.modelVpc,
          environment: {
            ...tiers,
            ...policy,
            [FUNCTION_ENV_NAMES.maxAttemptUsd]: String(settings.maxAttemptUsd),
            [FUNCTION_ENV_NAMES.keepModelCalls]: String(settings.otlpEndpoint !== undefined),
          },
        }).url,
        [FUNCTION_ENV_NAMES.modelGatewayMeters]: 'true',
        [FUNCTION_ENV_NAMES.knownJudgeModels]: JSON.stringify(judges),
      };
  const room = buildContainerCapacity(settings);
  const dispatcher = new LaunchDispatcher(scope, 'Dispatcher', {
    common,
    alarms,
    table,
    storage,
    workforce,
    delivery,
    minter,
    apiUrl: api.url,
    room,
    environment: { ...adapter, ...lease, ...tiers, ...gateway },
  });
  const conductor = new TaskStreamHandler(scope, 'Conductor', {
    common,
    alarms,
    table,
    storage,
    cascade,
    environment: adapter,
  });
  new TaskReconciler(scope, 'Reconciler', {
    common,
    alarms,
    table,
    boxes: workforce.boxes,
    delivery,
    cascade,
    room,
    environment: { ...tiers, ...policy },
  });
  const events = new DeploymentEventBus(scope, 'Events', { alarms, email: settings.notifyEmail });
  if (forge.secretArn !== undefined)
    new ForgeStatusReporter(scope, 'Forge', {
      common,
      alarms,
      table,
      storage,
      events,
      hook: api.functions['api-webhook'],
      secretArn: forge.secretArn,
      settings: forge.settings,
    });
  const notifier =
    settings.notify === undefined || settings.notifySecretArn === undefined
      ? undefined
      : new Notifier(scope, 'Notify', {
          common,
          table,
          events,
          deadLetters: workforce.deadLetters,
          targets: settings.notify,
          secretArn: settings.notifySecretArn,
          apiUrl: api.url,
        });
  const traces =
    settings.otlpEndpoint === undefined
      ? undefined
      : new TraceExporter(scope, 'Traces', {
          common,
          table,
          events,
          endpoint: settings.otlpEndpoint,
          secretArn: settings.otlpSecretArn,
        });
  const analytics = new RecordAnalytics(scope, 'Analytics', {
    common,
    alarms,
    table,
    storage,
    events,
    environment: {
      ...tiers,
      ...(settings.recordEvents.length > 0 && {
        [FUNCTION_ENV_NAMES.recordEvents]: JSON.stringify(settings.recordEvents),
      }),
    },
    scanLimitBytes: settings.scanLimitMiB * 1_048_576,
  });
  const deadLetters = new DeadLetterHandler(scope, 'DeadLetters', {
    common,
    alarms,
    table,
    workforce,
    queue: workforce.deadLetters,
    notifyQueue: notifier?.queue,
    storage,
    readers: { ledger: analytics.ledger, conductor: conductor.function },
  });
  const observability = new Observability(scope, 'Observability', {
    alarms,
    api,
    workforce,
    verification,
    dispatcher,
    unverifiedThreshold: settings.nudgeThreshold,
    minCompletions: settings.nudgeMinCompletions,
  });

  const faults = new TaskFaultAlarms(scope, 'Faults', {
    alarms,
    table,
    unheard: [deadLetters.function, analytics.compactor, ...(traces ? [traces.function] : [])],
    failedTasks: settings.alarmFailedTasks,
    lostContainers: settings.alarmLostContainers,
    modelUsd: settings.alarmModelUsd,
  });
  notifier?.addAlarms([observability.unverifiedRatioAlarm, ...faults.budgetAlarms]);

  const output = (name: string, description: string, value: string) =>
    new CfnOutput(scope, name, { description, value });
  output('ApiUrl', 'Base URL of the API', api.url);
  output(
    'DashboardUrl',
    'The dashboard',
    `https://console.aws.amazon.com/cloudwatch/home?region=${Stack.of(scope).region}#dashboards:name=${observability.dashboard.dashboardName}`,
  );
  output(
    'Bucket',
    storage.locked ? 'Artifacts' : 'Artifacts, evidence and records',
    storage.bucket.bucketName,
  );
  if (storage.locked) output('LockedBucket', 'Evidence and records', storage.locked.bucketName);
  output(
    'TableName',
    'Tasks; operator tokens are made in it, as hashes, with `assay token`',
    table.table.tableName,
  );
  output(
    'Settings',
    'What was chosen beside the defaults; `assay doctor --aws` reads it',
    listNonDefaultSettings(settings).join(' ') || 'none',
  );
  output('AlarmTopic', 'Subscribe here to hear of alarms', alarms.topic.topicArn);
  output('EventBus', 'What happens to tasks; put rules of your own on it', events.bus.eventBusName);
  output('PeopleTopic', 'Subscribe here to hear of tasks that people should look at', events.topic.topicArn);
  output('AthenaWorkGroup', 'Query the records in this workgroup', analytics.workGroup.name);
  output('AthenaDatabase', 'Database of the records', analytics.databaseName);
  return {
    api,
    table,
    storage,
    events,
    alarms,
    analytics,
    observability,
  } as const;
}

/** @throws Error with a sentence for each model that has to be independent of the writers and is not */
function assertIndependentModels(judges: JudgeModels, writers: readonly string[]): void {
  const problems = dependentJudgeModelProblems(judges, writers);
  if (problems.length > 0) throw new Error(problems.map((each) => `assay:judges: ${each}`).join('\n'));
}
