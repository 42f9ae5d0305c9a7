/**
 * Names that more than one room must agree on: keys and indexes of the table, environment variables,
 * object keys, metric names. infra gives them to the template, functions and containers read them.
 */

/** Keys of the Tasks table. Every item has both; other kinds of items share the table under other prefixes. */
export const TASKS_TABLE_KEY_ATTRIBUTES = {
  pk: 'pk',
  sk: 'sk',
  ttl: 'expires_at',
  /** Sort key of a task item; stream filters use it. */
  taskSk: 'task',
  /** The same of a request. */
  requestSk: 'request',
} as const;

/**
 * What the partition keys of the kinds of items begin with: a role is allowed those of its business
 * (infra/table-access.ts). No kind has an item that grows with
 * the number of tasks; sets and counts are made of many.
 */
export const TABLE_ITEM_KEY_PREFIXES = {
  task: 'task#',
  /** Work that was asked for, and that somebody says yes to. */
  request: 'request#',
  /** Operator tokens, as hashes. */
  token: 'token#',
  /** Who works on which files: a partition for each repository, an item for each task. */
  lock: 'lock#',
  /** How often the boxes of a task were given leave to upload. */
  uploads: 'uploads#',
  /** Boxes that run or are asked for, and the vCPUs that they take: some in each item. */
  container: 'containers#',
  /** Signs of life of agents: an item for each attempt, so that a beat writes no task. */
  heartbeat: 'heartbeat#',
  /** Model calls: a meter for each attempt, an item of its own so that counting wakes nobody who follows the tasks. */
  meter: 'meter#',
  /** Tasks by role and status, and completions: a few items for each role. */
  count: 'count#',
  /** As what a task was last counted: an item for each. */
  countedState: 'counted#',
  /** What quality is told by, by day: a partition for each month, a few items for each day. */
  dailyMetrics: 'metrics#',
  /** What has happened to the files of repositories: an item for each. */
  fileHistory: 'file#',
  /** The latest completions, an item for each, and since when they are looked at. */
  completion: 'completion#',
  /** What is learned of models: a partition for each role, an item for each complexity and tier, and one for a person's word. */
  belief: 'belief#',
  /** Settings that were changed on what was learned, and proposals: one item. */
  tuning: 'tuning',
  /** What goes to models: a partition for each month, an item for each day. */
  spend: 'spend#',
  /** Idempotency keys of claims, as hashes: which task each is after. */
  claim: 'claim#',
  /** How the quality gate has fared with each model that writes. */
  breaker: 'breaker#',
  /** Operations that have failed for good: an item for each task that has some. */
  deadLetter: 'dead-letters',
  /** As what delivered work was merged: an item for each request and commit. */
  mergedWork: 'merged#',
  /** Which task verifies a pull request now: an item for each pull request. */
  pullRequest: 'pull#',
  /** How providers of models fare: an item for each. */
  provider: 'provider#',
  /** Containers and deliveries that the dispatcher has launched: an item for each token. It alone writes them. */
  launch: 'launch#',
  /** Trees that have passed everything but their challenge. The janitor alone writes and reads them. */
  challengedTree: 'challenged#',
  /** Notifications that were sent: an item for each target and delivery. */
  notice: 'notice#',
  /** Passing verdicts: an item for each base commit and tree of a task. The janitor alone writes them. */
  passedTree: 'passed#',
  /** Approvals of reviewers: an item for each base commit and tree of a task. `api-submit` alone writes them. */
  approvedTree: 'approved#',
} as const;
export type TableItemKind = keyof typeof TABLE_ITEM_KEY_PREFIXES;

/**
 * Indexes of the Tasks table. Every sort key ends in the task id, so that each index key is unique per item
 * (the embedded engine needs it, and it makes cursors exact). Index attributes exist only where an item belongs in the index.
 */
export const TABLE_INDEXES = {
  /** All tasks by status, oldest first. Carries the summary attributes for listings, counts and the reconciler. */
  byStatus: { name: 'by_status', pk: 'gs_status', sk: 'gs_created' },
  /** Claimable tasks by `<runner>#<role>`: priority first, then oldest. */
  byQueue: { name: 'by_queue', pk: 'gs_queue', sk: 'gs_rank' },
  /** Tasks that wait for the task named by the key. */
  byWait: { name: 'by_wait', pk: 'gs_waits_for', sk: 'gs_waiter' },
  /** Tasks that something must be done about when a time has passed, oldest first. A task that merely waits is not in it. */
  byDeadline: { name: 'by_deadline', pk: 'gs_deadline_shard', sk: 'gs_deadline' },
} as const;

/** Attributes copied into `by_status`: what a listing shows, and what is asked of its rows besides. */
export const TASK_SUMMARY_ATTRIBUTES = [
  'id',
  'title',
  'role',
  'priority',
  'status',
  'repository',
  'runner',
  'version',
  'run',
  'created_at',
  'updated_at',
  'ended_at',
  'waits_for',
  'blocked_reason',
  'hold',
  'failure',
  'verified',
  'flagged_unverified',
  'lease_until',
] as const;

/** What a listing shows of a task: the one list of it. */
export type TaskSummaryField = Exclude<(typeof TASK_SUMMARY_ATTRIBUTES)[number], 'run' | 'lease_until'>;
export const TASK_SUMMARY_FIELDS = TASK_SUMMARY_ATTRIBUTES.filter(
  (name): name is TaskSummaryField => name !== 'run' && name !== 'lease_until',
);

/** Environment variables of the functions. */
export const FUNCTION_ENV_NAMES = {
  table: 'ASSAY_TABLE',
  bucket: 'ASSAY_BUCKET',
  /** Bucket of what lies below LOCKED_PREFIXES; absent: the same. */
  lockedBucket: 'ASSAY_LOCKED_BUCKET',
  apiUrl: 'ASSAY_API_URL',
  cascadeMachine: 'ASSAY_CASCADE_MACHINE_ARN',
  janitorMachine: 'ASSAY_JANITOR_MACHINE_ARN',
  cluster: 'ASSAY_CLUSTER_ARN',
  /** JSON of the URLs of the launch queues: of agents by priority, and of gates and deliveries. */
  launchQueues: 'ASSAY_LAUNCH_QUEUES',
  /** JSON of the names of the functions that read the stream: what they were not able to do is done again. */
  streamReaders: 'ASSAY_STREAM_READERS',
  subnets: 'ASSAY_SUBNETS',
  securityGroups: 'ASSAY_SECURITY_GROUPS',
  assignPublicIp: 'ASSAY_ASSIGN_PUBLIC_IP',
  /** Task-definition families (not revisions: a deploy retires the revision while messages are in flight). */
  agentFamily: 'ASSAY_AGENT_FAMILY',
  gatesFamily: 'ASSAY_GATES_FAMILY',
  /** Name of the function that delivers. */
  deliverFunction: 'ASSAY_DELIVER_FUNCTION',
  /** ARN of the secret that it pushes with; empty or absent: there is none. Of that function only. */
  deliverySecret: 'ASSAY_DELIVERY_SECRET',
  /** JSON: families of agent and gates box by the name of a toolchain image; the usual one has its own above. */
  imageFamilies: 'ASSAY_IMAGE_FAMILIES',
  /** JSON of ContainerCapacity (shared/control/admission/container-capacity.ts): sizes of boxes, and how much may run at once. */
  containerCapacity: 'ASSAY_CONTAINER_CAPACITY',
  /** JSON of an Adapter (shared/contract/agents/adapter.ts): what runs a task that names none. */
  defaultAdapter: 'ASSAY_DEFAULT_ADAPTER',
  /** JSON list of the agent CLIs in the agent box. */
  agentClis: 'ASSAY_AGENT_CLIS',
  /** JSON list of the vendors whose models the gateway has; null when it is the user's own. */
  modelVendors: 'ASSAY_MODEL_VENDORS',
  /** JSON of TierPolicySettings (shared/control/cascade/learning/cascade-policy.ts); absent: the routing table alone. */
  cascadePolicy: 'ASSAY_CASCADE_POLICY',
  /** JSON of tier to model id. */
  tierModels: 'ASSAY_TIER_MODELS',
  nudgeThreshold: 'ASSAY_NUDGE_THRESHOLD',
  nudgeMinCompletions: 'ASSAY_NUDGE_MIN_COMPLETIONS',
  nudgeWindow: 'ASSAY_NUDGE_WINDOW',
  nudgeWindowDays: 'ASSAY_NUDGE_WINDOW_DAYS',
  leaseSeconds: 'ASSAY_LEASE_SECONDS',
  /** JSON of ApprovalSettings (shared/control/approvals/approval-settings.ts): what agents may do without a person, and what becomes of what nobody decides. */
  approvalSettings: 'ASSAY_APPROVAL_SETTINGS',
  /** JSON of a ReviewHoldLimit (shared/contract/task/hold-limit.ts): how long a person has to decide. */
  holdLimit: 'ASSAY_HOLD_LIMIT',
  /** Base URL of the gateway that boxes reach models by; empty or absent: there is none. */
  modelGateway: 'ASSAY_MODEL_GATEWAY',
  /** "true" when that gateway is ours: then what it counts is what an attempt has used. */
  modelGatewayMeters: 'ASSAY_MODEL_GATEWAY_METERS',
  /** JSON of the providers of models (shared/contract/models/model-providers.ts). Of the gateway only. */
  modelProviders: 'ASSAY_MODEL_PROVIDERS',
  /** JSON of ConfiguredPrices (shared/contract/models/model-prices.ts): the operator's own prices of models. */
  modelPrices: 'ASSAY_MODEL_PRICES',
  /** JSON of an AgentModelServer (shared/contract/agents/agent-model-server.ts); of the embedded stack's own process. */
  agentModelServer: 'ASSAY_AGENT_MODEL_SERVER',
  /** JSON of JudgeModels (shared/contract/models/judge-models.ts). Of the judging function and the gateway only: on a laptop their keys come with it. */
  judgeModels: 'ASSAY_JUDGE_MODELS',
  /** The same, for who has to know what there is and asks nobody. */
  knownJudgeModels: 'ASSAY_KNOWN_JUDGE_MODELS',
  /** Names, separated by commas, of further variables that hold keys of judges; of the embedded stack's own process. */
  judgeKeys: 'ASSAY_JUDGE_KEYS',
  /** Dollars that one attempt may spend on models when its task sets no limit. Of the gateway only. */
  maxAttemptUsd: 'ASSAY_MAX_ATTEMPT_USD',
  /** JSON of the URL prefixes that the deployment has push credentials for; absent: none. */
  pushScopes: 'ASSAY_PUSH_SCOPES',
  /** Name of the function that makes credentials for repositories. */
  minterFunction: 'ASSAY_MINTER_FUNCTION',
  /** JSON of GitCredentialsSource (shared/contract/repository/git-secret.ts). Of the minter only. */
  gitSecret: 'ASSAY_GIT_SECRET',
  /** JSON of the forges that are told of tasks, and that tell of issues (shared/control/forge/forge-settings.ts); an empty list: none. */
  forges: 'ASSAY_FORGES',
  /** JSON of GitCredentialsSource. Of the two functions that speak with forges only. */
  forgeSecret: 'ASSAY_FORGE_SECRET',
  /** JSON of OidcIssuers (shared/control/oidc/oidc-settings.ts). Of the authorizer only; absent: opaque tokens alone. */
  oidc: 'ASSAY_OIDC',
  /** JSON of NotifyTargets (shared/control/notify/notify-settings.ts). Of the function that sends notifications only. */
  notify: 'ASSAY_NOTIFY',
  /** JSON of GitCredentialsSource: addresses and keys of the targets. Of that function only. */
  notifySecret: 'ASSAY_NOTIFY_SECRET',
  /** URL of the queue of notifications; absent: there are no targets. */
  notifyQueue: 'ASSAY_NOTIFY_QUEUE',
  /** JSON of the URL prefixes that the secret for repositories covers; absent: there is none. */
  readScopes: 'ASSAY_READ_SCOPES',
  /** Namespace of our own metrics in CloudWatch; absent: METRICS.namespace. */
  metricsNamespace: 'ASSAY_METRICS_NAMESPACE',
  /** JSON of RecordEvents (shared/control/events/record-events.ts): records that go to the bus, too; absent: none. */
  recordEvents: 'ASSAY_RECORD_EVENTS',
  /** Base URL that OTLP over HTTP is sent to, `…/v1/traces`; empty or absent: nobody is told of traces. */
  otlpEndpoint: 'ASSAY_OTLP_ENDPOINT',
  /** "true" when single calls of models are kept, for traces. Of the gateway only. */
  keepModelCalls: 'ASSAY_KEEP_MODEL_CALLS',
  /** JSON of GitCredentialsSource with the headers for it; absent: none are sent. */
  otlpSecret: 'ASSAY_OTLP_SECRET',
  /** Name of the bus that events of the deployment go to. */
  eventBus: 'ASSAY_EVENT_BUS',
  /** "true" only in the embedded default: accepts file:// repositories. */
  allowFileRepositories: 'ASSAY_ALLOW_FILE_REPOSITORIES',
} as const;

/** Environment of the boxes. Nothing else of the platform is in it. */
export const CONTAINER_ENV_NAMES = {
  /** Presigned GET of the assignment (shared/contract/messages/assignment.ts); short-lived. */
  assignmentUrl: 'ASSAY_ASSIGNMENT_URL',
  /** `<task>/<attempt>/<kind>/<launch>`: tells which box it was when ECS says that a task has stopped. */
  launchName: 'ASSAY_LAUNCH_NAME',
  /** Set in the embedded default: exit, with all children, when standard input ends, because then the machine is gone. */
  exitWithParent: 'ASSAY_EXIT_WITH_PARENT',
  /** Set there in a box that was started before there is anything for it: the rest of its environment comes as a line on standard input. */
  warmStart: 'ASSAY_WARM_START',
  /** Names, separated by commas, of variables that the agent may have beside the few that every command has: of a worker on a laptop. */
  passedVariables: 'ASSAY_PASSED_VARIABLES',
  /** uid:gid that commands of the repository run as, when the supervisor is root (in the images). */
  runAs: 'ASSAY_RUN_AS',
  /** PEM of certificate authorities of the deployment's own; absent: the public ones alone. */
  caBundle: 'ASSAY_CA_BUNDLE',
  /** The same as a file, in the embedded default: it may hold more than a variable can. */
  caFile: 'ASSAY_CA_FILE',
  /** Path of a browser, where none is on the PATH under one of its usual names. Of the machine, never of the repository. */
  browser: 'ASSAY_CHROMIUM',
} as const;

/** Names of the ECS containers inside their task definitions. */
export const ECS_CONTAINER_NAMES = { agent: 'agent', gates: 'gates' } as const;

/**
 * What a delivery may take, in seconds: at work, as long as any function of Lambda, and in Lambda's own queue before that. Together they are
 * longer than what it is given is good for, so that none begins whose URLs are too old.
 */
export const DELIVERY_LIMIT_SECONDS = { run: 900, queue: 600 } as const;

/**
 * Object keys. `artifacts/`, `assignments/`, `hidden/` and `evidence/` are working data with a lifecycle; `memory/` outlives
 * tasks, `records/` is what Athena reads. What a box hands in is named by its SHA-256, so that nothing can come in its place.
 */
export const s3ObjectKeys = {
  assignment: (taskId: string, attempt: number, kind: string, nonce: string) =>
    `assignments/${taskId}/${attempt}/${kind}-${nonce}.json`,
  patch: (taskId: string, attempt: number, sha256: string) =>
    `artifacts/${taskId}/${attempt}/patch-${sha256}.diff`,
  transcript: (taskId: string, attempt: number, sha256: string) =>
    `artifacts/${taskId}/${attempt}/transcript-${sha256}.log`,
  session: (taskId: string, attempt: number, sha256: string) =>
    `artifacts/${taskId}/${attempt}/session-${sha256}.jsonl`,
  /** A prefix of its own: the one function that starts boxes may read it, and tells the gates box alone. */
  hiddenTests: (taskId: string, sha256: string) => `hidden/${taskId}/tests-${sha256}.json`,
  exam: (taskId: string, sha256: string) => `hidden/${taskId}/exam-${sha256}.json`,
  /** What keys of evidence and of challenges of an attempt begin with. */
  evidenceOfAttempt: (taskId: string, attempt: number, kind: 'evidence' | 'challenge') =>
    `evidence/${taskId}/${attempt}/${kind}-`,
  evidence: (taskId: string, attempt: number, launch: number, sha256: string) =>
    `${s3ObjectKeys.evidenceOfAttempt(taskId, attempt, 'evidence')}${launch}-${sha256}.json`,
  challenge: (taskId: string, attempt: number, launch: number, sha256: string) =>
    `${s3ObjectKeys.evidenceOfAttempt(taskId, attempt, 'challenge')}${launch}-${sha256}.json`,
  findings: (taskId: string, attempt: number, launch: number, sha256: string) =>
    `artifacts/${taskId}/${attempt}/findings-${launch}-${sha256}.sarif`,
  tests: (taskId: string, attempt: number, launch: number, sha256: string) =>
    `artifacts/${taskId}/${attempt}/tests-${launch}-${sha256}.junit.xml`,
  /** Not of one launch: a picture that two boxes take alike is the same. */
  screenshot: (taskId: string, attempt: number, sha256: string) =>
    `artifacts/${taskId}/${attempt}/screenshot-${sha256}.png`,
  /** `repository` is a hash of its URL: what one repository's gates have kept, another's never read. */
  memory: (repository: string, kind: string, hash: string) => `memory/${repository}/${kind}/${hash}.json`,
  /** `date` is YYYY-MM-DD of the rows' own time; `batch` is made from the stream records, so a re-delivery writes the same object. */
  recordDay: (table: string, date: string) => `records/table=${table}/dt=${date}/`,
  records: (table: string, date: string, batch: string) => `records/table=${table}/dt=${date}/${batch}.jsonl`,
  /** Records of the stream of one task or request that a reader has given up, until they are read again; `name` is made from them. */
  failedBatch: (id: string, name: string) => `failed-batches/${id}/${name}.json`,
} as const;

/** Where Lambda writes batches of a stream that it gives up: it asks for a bucket only, and begins its keys with this. */
export const FAILED_STREAM_BATCH_KEY_PREFIX = 'aws/lambda/';

/** What nobody may change once it is written: it lies in a locked bucket where the deployment has one (`assay:objectLock`). */
export const OBJECT_LOCK_PREFIXES = ['evidence/', 'records/'] as const;

/** CloudWatch metrics, emitted as EMF. Few dimensions: each distinct set is billed as a metric of its own. */
export const METRIC_NAMES = {
  namespace: 'Assay',
  dimension: 'service',
  service: 'assay',
  completions: 'Completions',
  unverifiedCompletions: 'UnverifiedCompletions',
  failures: 'FailedTasks',
  referrals: 'ReferredTasks',
  gatesCouldNotRun: 'GatesCouldNotRun',
  costUsd: 'ModelCostUsd',
  budgetStops: 'BudgetStops',
  /** Attacks on work that were to be made, and were not: the work went on. */
  reviewsNotRun: 'ReviewsNotRun',
  attempts: 'Attempts',
  escalations: 'Escalations',
  loggedErrors: 'LoggedErrors',
  /** With a second dimension, `reason`: one of LOSSES in shared/control/ledger/container-losses.ts. */
  lostContainers: 'LostContainers',
  /** In how many lanes something has failed for good and is not dealt with. */
  deadLetters: 'DeadLetters',
  reason: 'reason',
} as const;

/** So many beats fall into a lease: one that is lost costs nobody's work. */
export const HEARTBEATS_PER_LEASE = 4;

/** Largest request body in bytes (1 MiB); larger patches go through an upload URL. */
export const MAX_REQUEST_BODY_BYTES = 1_048_576;
/** Largest patch in bytes (20 MiB) that the boxes accept. */
export const MAX_PATCH_BYTES = 20 * 1_048_576;

/** JSON of GitCredentialsSecret (shared/contract/repository/git-secret.ts) for the embedded default, which takes it out of its environment. */
export const EMBEDDED_GIT_SECRET_VARIABLE = 'ASSAY_GIT_CREDENTIALS';
/** JSON of ForgeCredentialsSecret (shared/control/forge/forge-settings.ts), in the same way. */
export const EMBEDDED_FORGE_SECRET_VARIABLE = 'ASSAY_FORGE_CREDENTIALS';
/** Stands for the ARN of a secret in the embedded stack, which has no Secrets Manager. */
export const EMBEDDED_SECRET_ARN = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:embedded-AAAAAA';

/** JSON of NotifySecret (shared/control/notify/notify-settings.ts), in the same way. */
export const EMBEDDED_NOTIFY_SECRET_VARIABLE = 'ASSAY_NOTIFY_CREDENTIALS';

/** The variables that people have for the vendors' own clients; the embedded stack takes the keys out of its environment. */
export const MODEL_PROVIDER_ENV_NAMES = {
  anthropic: { key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_BASE_URL' },
  openai: { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' },
  gemini: { key: 'GEMINI_API_KEY', url: 'GOOGLE_GEMINI_BASE_URL' },
} as const;

/** What the names of files begin with that functions have alike, the packages of several. The rest of a name is from what is in the file. */
export const SHARED_BUNDLE_CHUNK_FILE_PREFIX = 'part-';
