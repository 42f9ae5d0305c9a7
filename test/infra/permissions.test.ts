import { describe, expect, it } from 'vitest';
import { type FunctionTableAccess, TABLE_ACCESS_BY_FUNCTION } from '../../infra/table-access.ts';
import { TABLE_INDEXES, TABLE_ITEM_KEY_PREFIXES } from '../../shared/contract/resource-names.ts';
import { type Grant, rolesOf } from './grants.ts';
import { FUNCTION_IDS, only, type Properties, synthesise, text } from './synthesise.ts';

const GIT_SECRET = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:read-AbCdEf';
const SECRET = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:git-AbCdEf';
const FORGE_SECRET = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:forge-AbCdEf';
const NOTIFY_SECRET = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:notify-AbCdEf';
const template = synthesise({
  'assay:notifySecretArn': NOTIFY_SECRET,
  'assay:notify': '[{"name":"team","kind":"slack"}]',
  'assay:otlpEndpoint': 'https://collector.example/v1/traces',
  'assay:forgeSecretArn': FORGE_SECRET,
  'assay:forges': '[{"url":"https://github.com/acme","forge":"github"}]',
  'assay:gitSecretArn': GIT_SECRET,
  'assay:readScopes': '["https://github.com/acme"]',
  'assay:deliverySecretArn': SECRET,
  'assay:pushScopes': '["https://github.com/acme"]',
});
const all = (type: string) => Object.entries(template.findResources(type));

const roles = rolesOf(template);
const role = (prefix: string) => {
  const [found, ...others] = roles.filter(({ id }) => id.startsWith(prefix));
  if (!found || others.length > 0) throw new Error(`not one role begins with ${prefix}`);
  return found;
};
const functionRole = (name: keyof typeof FUNCTION_IDS) => role(`${FUNCTION_IDS[name]}Role`);
const unique = (values: string[]): string[] => [...new Set(values)].sort();

const STREAM = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(
  (each) => `dynamodb:${each}`,
);

const DEAD_LETTERS = ['sqs:GetQueueAttributes', 'sqs:GetQueueUrl', 'sqs:SendMessage'];

/** What the leading keys of a statement's items have to begin with; none when it does not say. */
const leading = (condition: unknown): string[] => {
  const keys = (condition as Record<string, Record<string, unknown>> | undefined)?.[
    'ForAllValues:StringLike'
  ];
  return (keys?.['dynamodb:LeadingKeys'] as string[] | undefined) ?? [];
};

/** All that each function may do beside writing its own log. A new entry here is a decision. */
const MAY: Record<keyof typeof FUNCTION_IDS, string[]> = {
  'api-authorizer': ['dynamodb:GetItem'],
  'api-submit': [
    'dynamodb:BatchGetItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    's3:PutObject',
  ],
  'api-work': [
    'dynamodb:DeleteItem',
    'dynamodb:BatchGetItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    's3:PutObject',
  ],
  'api-upload': ['dynamodb:GetItem', 'dynamodb:UpdateItem', 's3:GetObject', 's3:PutObject'],
  'api-evidence': ['dynamodb:GetItem', 'dynamodb:PutItem', 's3:PutObject'],
  'api-read': ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query', 's3:GetObject'],
  'api-webhook': ['dynamodb:GetItem', 'dynamodb:PutItem', 'secretsmanager:GetSecretValue'],
  notify: [
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'secretsmanager:GetSecretValue',
    'sqs:ChangeMessageVisibility',
    'sqs:DeleteMessage',
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:ReceiveMessage',
    'sqs:SendMessage',
  ],
  traces: ['dynamodb:GetItem', 'dynamodb:Query'],
  'forge-tell': ['dynamodb:GetItem', 's3:GetObject', 'secretsmanager:GetSecretValue', ...DEAD_LETTERS],
  conductor: [
    'dynamodb:BatchGetItem',
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    's3:ListBucket',
    's3:PutObject',
    'states:StartExecution',
    ...STREAM,
  ],
  ledger: [
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'events:PutEvents',
    's3:ListBucket',
    's3:PutObject',
    ...STREAM,
  ],
  cascade: [
    'dynamodb:BatchGetItem',
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ],
  compactor: ['s3:DeleteObject', 's3:GetObject', 's3:ListBucket', 's3:PutObject'],
  minter: ['dynamodb:GetItem', 'secretsmanager:GetSecretValue'],
  'push-minter': ['dynamodb:GetItem', 'secretsmanager:GetSecretValue'],
  // Of the table only which trees are accepted, and no bucket.
  deliver: ['dynamodb:GetItem', 'events:PutEvents', 'lambda:InvokeFunction', 'secretsmanager:GetSecretValue'],
  page: [],
  'dead-letters': [
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'lambda:InvokeFunction',
    's3:DeleteObject',
    's3:GetObject',
    's3:ListBucket',
    's3:PutObject',
    'sqs:ChangeMessageVisibility',
    'sqs:DeleteMessage',
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:ReceiveMessage',
    'sqs:SendMessage',
  ],
  resolver: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'lambda:InvokeFunction'],
  janitor: ['dynamodb:GetItem', 'dynamodb:PutItem', 's3:GetObject'],
  // With models configured, also what reaches those; see judge.test.ts.
  judge: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem', 's3:GetObject'],
  dispatcher: [
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
    'ecs:RunTask',
    'ecs:TagResource',
    'iam:PassRole',
    'lambda:InvokeFunction',
    's3:DeleteObject',
    's3:GetObject',
    's3:PutObject',
    'sqs:ChangeMessageVisibility',
    'sqs:DeleteMessage',
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:ReceiveMessage',
  ],
  reconciler: [
    'dynamodb:BatchGetItem',
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'ecs:DescribeTasks',
    'ecs:StopTask',
    'states:StartExecution',
  ],
  models: [
    'bedrock:InvokeModel',
    'bedrock:InvokeModelWithResponseStream',
    'dynamodb:GetItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ],
};

/** What each function must never be able to do, whatever is added: actions by pattern, resources by pattern. */
type MustNot = [keyof typeof FUNCTION_IDS, string, (grant: Grant) => boolean];
const MUST_NOT: MustNot[] = [
  [
    'api-read',
    'write anything',
    ({ action }) => /^(?!logs:).*:(Put|Update|Delete|BatchWrite|Send|Start|Run)/.test(action),
  ],
  [
    'api-authorizer',
    'write anything',
    ({ action }) => /^(?!logs:).*:(Put|Update|Delete|BatchWrite|Send|Start|Run)/.test(action),
  ],
  // It reads what strangers' servers say.
  [
    'resolver',
    'do anything but use the table and ask the minter',
    ({ action, resource }) =>
      !/^(dynamodb|logs):/.test(action) &&
      !(action === 'lambda:InvokeFunction' && /^<MinterMint/.test(resource)),
  ],
  [
    'api-submit',
    'do anything but use the table and put hidden tests where there are none',
    ({ action, resource }) =>
      !/^(dynamodb|logs):/.test(action) && !(action === 's3:PutObject' && resource.endsWith('/hidden/*')),
  ],
  [
    'api-work',
    'touch objects other than patches',
    ({ action, resource }) => action.startsWith('s3:') && !resource.endsWith('/artifacts/*'),
  ],
  [
    'api-upload',
    'sign for more than what boxes hand in and gates remember',
    ({ action, resource }) => action.startsWith('s3:') && !/\/(artifacts|memory)\/\*$/.test(resource),
  ],
  [
    'api-upload',
    'read more than what gates remember',
    ({ action, resource }) => action.startsWith('s3:Get') && !resource.endsWith('/memory/*'),
  ],
  [
    'api-upload',
    'write tasks',
    ({ action, condition }) =>
      /dynamodb:(Put|Update|Delete|BatchWrite)/.test(action) &&
      leading(condition).some((key) => key !== 'uploads#*'),
  ],
  [
    'api-evidence',
    'touch objects other than evidence, or read any',
    ({ action, resource }) =>
      action.startsWith('s3:') && !(action === 's3:PutObject' && resource.endsWith('/evidence/*')),
  ],
  ['api-work', 'start or wake executions', ({ action }) => action.startsWith('states:')],
  [
    'models',
    'read objects, secrets that it was not given, or start anything',
    ({ action }) => /^(s3|secretsmanager|ssm|states|ecs|sqs|iam):/.test(action),
  ],
  ...(['minter', 'push-minter'] as const).map(
    (name): MustNot => [
      name,
      'do anything but read tasks and its one secret',
      ({ action, resource }) =>
        !/^logs:/.test(action) &&
        !(action === 'dynamodb:GetItem' && /TasksTable\w+\.Arn>/.test(resource)) &&
        resource !== GIT_SECRET,
    ],
  ),
  [
    'api-webhook',
    'do anything but use tasks and its one secret',
    ({ action, resource }) => !/^(dynamodb|logs):/.test(action) && resource !== FORGE_SECRET,
  ],
  [
    'forge-tell',
    'change anything of ours',
    ({ action }) => /^(?!logs:).*:(Put|Update|Delete|BatchWrite|Start|Run|Invoke)/.test(action),
  ],
  [
    'forge-tell',
    'read another secret, or objects other than evidence',
    ({ action, resource }) =>
      (action.startsWith('secretsmanager:') && resource !== FORGE_SECRET) ||
      (action.startsWith('s3:') && !resource.endsWith('/evidence/*')),
  ],
  [
    'notify',
    'read or write anything but what it has sent, its own queue and its one secret',
    ({ action, resource, condition }) =>
      !action.startsWith('logs:') &&
      resource !== NOTIFY_SECRET &&
      !(action.startsWith('sqs:') && /^<NotifyQueue\w+\.Arn>$/.test(resource)) &&
      !(/^dynamodb:(Get|Put)Item$/.test(action) && leading(condition).join() === 'notice#*'),
  ],
  [
    'dispatcher',
    'read a secret, or invoke anything but what delivers and the minter of what reads',
    ({ action, resource }) =>
      action.startsWith('secretsmanager:') ||
      (action === 'lambda:InvokeFunction' && !/^<(MinterMint|DeliveryDeliver)/.test(resource)),
  ],
  [
    'ledger',
    'read or write anything of the table but figures, files and what is counted in them',
    ({ resource, condition }) =>
      /TasksTable\w+\.Arn>$/.test(resource) &&
      !leading(condition).every((key) => ['metrics#*', 'counted#*', 'file#*'].includes(key)),
  ],
  [
    'ledger',
    'touch the table without saying which items',
    ({ action, resource, condition }) =>
      /^dynamodb:(?!.*Stream|GetRecords|GetShardIterator)/.test(action) &&
      /TasksTable\w+\.Arn>/.test(resource) &&
      leading(condition).length === 0,
  ],
  [
    'ledger',
    'write outside of records, and of where Lambda keeps what it gives up',
    ({ action, resource }) => action === 's3:PutObject' && !/\/(records|aws\/lambda)\/\*$/.test(resource),
  ],
  [
    'dead-letters',
    'touch anything in the bucket but what was given up, or invoke anything but what reads the stream',
    ({ action, resource, condition }) =>
      (/^s3:.*Object$/.test(action) && !/\/(failed-batches|aws\/lambda)\/\*$/.test(resource)) ||
      (action === 's3:PutObject' && !resource.endsWith('/failed-batches/*')) ||
      (action === 's3:ListBucket' &&
        !/^{"StringLike":{"s3:prefix":"(aws\/lambda|failed-batches)\/\*"}}$/.test(
          JSON.stringify(condition),
        )) ||
      (action === 'lambda:InvokeFunction' && !/^<(AnalyticsLedger|ConductorConduct)/.test(resource)),
  ],
  [
    'compactor',
    'touch anything but records',
    ({ action, resource }) =>
      !action.startsWith('logs:') && action !== 's3:ListBucket' && !resource.endsWith('/records/*'),
  ],
  [
    'compactor',
    'write over a record, or see what else there is',
    ({ action, condition }) =>
      (action === 's3:PutObject' && JSON.stringify(condition) !== '{"Null":{"s3:if-none-match":"false"}}') ||
      (action === 's3:ListBucket' &&
        JSON.stringify(condition) !== '{"StringLike":{"s3:prefix":"records/*"}}'),
  ],
  ['ledger', 'read objects', ({ action }) => action.startsWith('s3:Get')],
  [
    'janitor',
    'read more than evidence',
    ({ action, resource }) => action.startsWith('s3:') && !resource.endsWith('/evidence/*'),
  ],
  [
    'judge',
    'write or list anything of the table but what is set aside',
    ({ action, condition }) =>
      /^dynamodb:(?!GetItem$)/.test(action) &&
      (leading(condition).length === 0 || !leading(condition).every((key) => key === 'spend#*')),
  ],
  [
    'judge',
    'put or remove items, or write objects',
    ({ action }) => /^dynamodb:(Put|Delete|BatchWrite)|^s3:(?!GetObject$)/.test(action),
  ],
  ['cascade', 'launch boxes or read objects', ({ action }) => /^(ecs|s3|sqs|iam):/.test(action)],
  [
    'conductor',
    'launch boxes, or touch any object but to keep what was given up',
    ({ action, resource }) =>
      /^(ecs|iam):/.test(action) ||
      (/^s3:.*Object$/.test(action) && !(action === 's3:PutObject' && resource.endsWith('/aws/lambda/*'))),
  ],
  ['reconciler', 'launch boxes', ({ action }) => /ecs:RunTask|iam:PassRole/.test(action)],
  [
    'dispatcher',
    'write or remove anything but assignments',
    ({ action, resource }) => /s3:(Put|Delete)Object/.test(action) && !resource.endsWith('/assignments/*'),
  ],
];

describe('functions', () => {
  it.each(Object.entries(MAY))('the %s may do what it needs and nothing else', (name, wanted) => {
    const actions = functionRole(name as keyof typeof MAY).grants.map(({ action }) => action);
    expect(unique(actions)).toEqual(unique([...wanted, 'logs:CreateLogStream', 'logs:PutLogEvents']));
  });

  it.each(MUST_NOT)('the %s cannot %s', (name, _what, forbidden) => {
    expect(functionRole(name).grants.filter(forbidden)).toEqual([]);
  });

  it('touch only the kinds of items that the table of access names', () => {
    for (const [name, { indexes, ...wanted }] of Object.entries<FunctionTableAccess>(
      TABLE_ACCESS_BY_FUNCTION,
    )) {
      const { grants } = functionRole(name as keyof typeof MAY);
      const items = grants.filter(
        ({ action, resource }) => action.startsWith('dynamodb:') && /TasksTable\w+\.Arn>$/.test(resource),
      );
      expect(Object.fromEntries(items.map((each) => [each.action, leading(each.condition)]))).toEqual(
        Object.fromEntries(
          Object.entries(wanted).map(([action, kinds]) => [
            `dynamodb:${action}`,
            kinds.map((kind) => `${TABLE_ITEM_KEY_PREFIXES[kind]}*`),
          ]),
        ),
      );
      const queried = grants.flatMap(({ resource }) => /\/index\/(\w+)$/.exec(resource)?.[1] ?? []);
      expect(queried).toEqual((indexes ?? []).map((index) => TABLE_INDEXES[index].name));
    }
  });

  it('cannot write operator tokens, none of them, and only the authorizer can read them', () => {
    const reaching = roles.flatMap(({ id, grants }) =>
      grants
        .filter(
          ({ action, resource }) => action.startsWith('dynamodb:') && /TasksTable\w+\.Arn>$/.test(resource),
        )
        .filter(({ condition }) => {
          const keys = leading(condition);
          return (
            keys.length === 0 ||
            keys.some((key) => TABLE_ITEM_KEY_PREFIXES.token.startsWith(key.replace('*', '')))
          );
        })
        .map(({ action }) => [id.replace(/Role\w+$/, ''), action]),
    );
    expect(reaching).toEqual([['Apiapiauthorizer', 'dynamodb:GetItem']]);
  });

  it.each([
    ['passedTree', 'VerificationJanitorSteps', ['DeliveryDeliver']],
    ['approvedTree', 'Apiapisubmit', ['DeliveryDeliver']],
    ['challengedTree', 'VerificationJanitorSteps', ['VerificationJanitorSteps']],
    ['launch', 'DispatcherLaunch', ['Apiapiauthorizer', 'DispatcherLaunch']],
  ] as const)('write items of kind %s in %s alone, and read them in %j', (kind, writer, readers) => {
    const reaching = roles.flatMap(({ id, grants }) =>
      grants
        .filter(
          ({ action, resource }) => action.startsWith('dynamodb:') && /TasksTable\w+\.Arn>$/.test(resource),
        )
        .filter(({ condition }) => {
          const keys = leading(condition);
          return (
            keys.length === 0 ||
            keys.some((key) => TABLE_ITEM_KEY_PREFIXES[kind].startsWith(key.replace('*', '')))
          );
        })
        .map(({ action }) => `${id.replace(/Role\w+$/, '')} ${action}`),
    );
    expect(reaching.sort()).toEqual(
      [`${writer} dynamodb:PutItem`, ...readers.map((reader) => `${reader} dynamodb:GetItem`)].sort(),
    );
  });

  it.each([
    ['provider', ['Apiapisubmit', 'ConductorConduct', 'VerificationCascadeSteps']],
    ['pullRequest', ['Apiapiwebhook', 'ConductorConduct']],
  ] as const)('write items of kind %s in %j alone, and remove none', (kind, writers) => {
    const writing = roles.flatMap(({ id, grants }) =>
      grants
        .filter(
          ({ action, condition }) =>
            /^dynamodb:(?:.*Put|.*Write|.*Update|.*Delete)/.test(action) &&
            leading(condition).some((key) => TABLE_ITEM_KEY_PREFIXES[kind].startsWith(key.replace('*', ''))),
        )
        .map(({ action }) => `${id.replace(/Role\w+$/, '')} ${action}`),
    );
    expect(writing.sort()).toEqual(writers.map((each) => `${each} dynamodb:PutItem`));
  });

  it('begin no kind of item as another begins, so that a leading key tells them apart', () => {
    const kinds = Object.values(TABLE_ITEM_KEY_PREFIXES);
    for (const one of kinds)
      for (const other of kinds) expect(one !== other && other.startsWith(one)).toBe(false);
  });

  it('write patches and evidence where there is nothing, and never in the place of anything', () => {
    const puts = roles.flatMap(({ grants }) =>
      grants.filter(
        ({ action, resource }) =>
          action === 's3:PutObject' && /\/(artifacts|evidence|hidden)\/\*$/.test(resource),
      ),
    );
    expect(puts).toHaveLength(4);
    for (const { condition } of puts) expect(condition).toEqual({ Null: { 's3:if-none-match': 'false' } });
    const removers = roles.flatMap(({ id, grants }) =>
      grants
        .filter(({ action, resource }) => /s3:Delete/.test(action) && !resource.endsWith('/assignments/*'))
        .map(({ resource }) => [id.replace(/Role\w+$/, ''), resource.split('/')[1]]),
    );
    // Small records, once they are in a large one; and what was given up, once it is kept by task.
    expect(removers).toEqual([
      [expect.stringMatching('^AnalyticsCompactor'), 'records'],
      [expect.stringMatching('^DeadLettersRead'), 'aws'],
    ]);
  });

  it('read hidden tests in one place only, which starts boxes and signs what the gates box reads', () => {
    const reaching = roles.flatMap(({ id, grants }) =>
      grants
        .filter(({ resource }) => resource.endsWith('/hidden/*'))
        .map(({ action }) => [id.replace(/Role\w+$/, ''), action]),
    );
    expect(reaching.sort()).toEqual([
      [expect.stringMatching('^Apiapisubmit'), 's3:PutObject'],
      [expect.stringMatching('^Dispatcher'), 's3:GetObject'],
    ]);
  });

  it('write evidence in one place only', () => {
    const writers = roles.filter(({ grants }) =>
      grants.some(({ action, resource }) => action.startsWith('s3:Put') && resource.endsWith('/evidence/*')),
    );
    expect(writers.map(({ id }) => id)).toEqual([expect.stringMatching('^Apiapievidence')]);
  });

  it('write to their own log only', () => {
    for (const name of Object.keys(FUNCTION_IDS) as (keyof typeof FUNCTION_IDS)[])
      for (const { action, resource } of functionRole(name).grants)
        if (action.startsWith('logs:')) expect(resource).toMatch(new RegExp(`^<${FUNCTION_IDS[name]}Log`));
  });

  it('have a role each', () => {
    const used = all('AWS::Lambda::Function').map(([, { Properties }]) => text(Properties.Role));
    expect(new Set(used).size).toBe(used.length);
  });
});

describe('the network', () => {
  it('may write its flow log, and do nothing else', () => {
    const { grants } = role('WorkforceNetworkFlowLogRole');
    expect(unique(grants.map(({ action }) => action))).toEqual(
      ['CreateLogStream', 'DescribeLogStreams', 'PutLogEvents'].map((each) => `logs:${each}`),
    );
    for (const { resource } of grants)
      expect(resource).toMatch(/^<WorkforceNetworkFlowLog[0-9A-F]{8}\.Arn>$/);
  });

  it('lets nobody but flow logs take the role of its log', () => {
    const { AssumeRolePolicyDocument } = only(
      template,
      'AWS::IAM::Role',
      'WorkforceNetworkFlowLogRole',
    ).Properties;
    expect(AssumeRolePolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'sts:AssumeRole',
        Principal: { Service: 'vpc-flow-logs.amazonaws.com' },
      },
    ]);
  });
});

describe('queues', () => {
  const policies = all('AWS::SQS::QueuePolicy').map(([, { Properties }]) => Properties);
  const policiesOf = (id: string) => policies.filter(({ Queues }) => Queues.map(text).includes(`<${id}>`));

  it.each(all('AWS::SQS::Queue').map(([id]) => id))(
    '%s has one policy, which refuses requests without TLS',
    (id) => {
      const [policy, ...others] = policiesOf(id);
      expect(others).toEqual([]);
      expect(policy?.PolicyDocument.Statement).toContainEqual(
        expect.objectContaining({
          Effect: 'Deny',
          Action: 'sqs:*',
          Principal: { AWS: '*' },
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      );
    },
  );

  it('let nobody in by their policies: the roles of functions do that', () => {
    const ofRoles = policies.filter(({ Queues }) => !text(Queues[0]).startsWith('<Notify'));
    const allowed = ofRoles.flatMap(({ PolicyDocument }) =>
      PolicyDocument.Statement.filter(({ Effect }: Properties) => Effect !== 'Deny'),
    );
    expect(allowed).toEqual([]);
  });

  it('of notifications lets nobody in but the rules of the stack', () => {
    const [policy, ...others] = all('AWS::SQS::QueuePolicy').filter(([id]) => id.startsWith('Notify'));
    expect(others).toEqual([]);
    const allowed = policy?.[1]['Properties'].PolicyDocument.Statement.filter(
      ({ Effect }: Properties) => Effect !== 'Deny',
    );
    expect(allowed.map(({ Principal }: Properties) => Principal)).toEqual(
      Array(2).fill({ Service: 'events.amazonaws.com' }),
    );
    expect(
      allowed.map(({ Condition }: Properties) => text(Condition.ArnEquals['aws:SourceArn'])).sort(),
    ).toEqual([expect.stringMatching('^<NotifyAlarmChanges'), expect.stringMatching('^<NotifyEvents')]);
  });
});

describe('wildcards', () => {
  it('stand for no action', () => {
    for (const { id, grants } of roles)
      for (const { action } of grants) expect(`${id} ${action}`).not.toContain('*');
  });

  it('stand for every resource only where AWS offers nothing narrower', () => {
    const everywhere = roles.flatMap(({ grants }) => grants).filter(({ resource }) => resource === '*');
    expect(unique(everywhere.map(({ action }) => action))).toEqual([
      'ecr:GetAuthorizationToken',
      ...[
        'CreateLogDelivery',
        'DeleteLogDelivery',
        'DescribeLogGroups',
        'DescribeResourcePolicies',
        'GetLogDelivery',
        'ListLogDeliveries',
        'PutResourcePolicy',
        'UpdateLogDelivery',
      ].map((each) => `logs:${each}`),
    ]);
  });

  it('stand for objects below one folder at a time', () => {
    for (const { grants } of roles)
      for (const { action, resource } of grants)
        if (action.startsWith('s3:') && action !== 's3:ListBucket')
          expect(resource).toMatch(
            /^<StorageBucket\w+\.Arn>\/(assignments|artifacts|hidden|evidence|memory|records|failed-batches|aws\/lambda)\/\*$/,
          );
  });

  it('are not brought in by managed policies', () => {
    for (const [, { Properties }] of all('AWS::IAM::Role'))
      expect(Properties.ManagedPolicyArns).toBeUndefined();
  });
});

describe('the dispatcher', () => {
  const { grants } = functionRole('dispatcher');
  const granted = (action: string) => grants.filter((grant) => grant.action === action);

  it('launches the two families, in any revision, on this cluster only', () => {
    expect(
      granted('ecs:RunTask')
        .map(({ resource }) => resource.replace(/.*task-definition\//, ''))
        .sort(),
    ).toEqual([
      expect.stringMatching(/^AssayWorkforceBoxesagentTask\w+:\*$/),
      expect.stringMatching(/^AssayWorkforceBoxesgatesTask\w+:\*$/),
    ]);
    for (const { condition } of granted('ecs:RunTask'))
      expect(condition).toEqual({
        ArnEquals: {
          'ecs:cluster': { 'Fn::GetAtt': [expect.stringMatching('^WorkforceBoxesCluster'), 'Arn'] },
        },
      });
  });

  it('hands the roles of the boxes to ECS, and no other role to nobody else', () => {
    const ofBoxes = all('AWS::ECS::TaskDefinition').flatMap(([, { Properties }]) => [
      text(Properties.TaskRoleArn),
      text(Properties.ExecutionRoleArn),
    ]);
    expect(unique(granted('iam:PassRole').map(({ resource }) => resource))).toEqual(unique(ofBoxes));
    for (const { condition } of granted('iam:PassRole'))
      expect(condition).toEqual({ StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } });
  });
});

describe('boxes', () => {
  const definition = (name: string): Properties =>
    only(template, 'AWS::ECS::TaskDefinition', `WorkforceBoxes${name}`).Properties;

  it.each(['agent', 'gates'])('the %s box may do nothing in AWS', (name) => {
    const id = text(definition(name).TaskRoleArn).replace(/^<(.+)\.Arn>$/, '$1');
    expect(roles.find((each) => each.id === id)?.grants).toEqual([]);
  });

  it('hold the gates program and the git credential apart: who starts both cannot put one where the other is', () => {
    const { grants } = functionRole('dispatcher');
    const able = grants.filter(({ action }) =>
      /ecs:(Register|Update|Create|Execute)|lambda:(Update|Create|Publish|Add|Put)|secretsmanager:|ecr:/.test(
        action,
      ),
    );
    expect(able).toEqual([]);
  });

  it('leave what is said at forges to the two functions that speak with them: no box, and nobody who starts one', () => {
    const able = roles.filter((each) => each.grants.some(({ resource }) => resource === FORGE_SECRET));
    expect(able.map(({ id }) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual([
      'ApiapiwebhookRole',
      'ForgeTellRole',
    ]);
    const definitions = JSON.stringify(template.findResources('AWS::ECS::TaskDefinition'));
    expect(definitions).not.toContain(FORGE_SECRET);
  });

  it.each([
    ['minter', ['DispatcherLaunchRole', 'VerificationResolverRole']],
    ['push-minter', ['DeliveryDeliverRole']],
  ] as const)(
    'leave the secret for repositories to the minters; the %s is asked by %s alone',
    (name, wanted) => {
      const { grants } = functionRole(name);
      expect(grants.filter(({ action }) => action.startsWith('secretsmanager:'))).toEqual([
        { action: 'secretsmanager:GetSecretValue', resource: GIT_SECRET, condition: undefined },
      ]);
      const askers = roles.filter((each) =>
        each.grants.some(
          ({ action, resource }) =>
            action.startsWith('lambda:Invoke') && resource.startsWith(`<${FUNCTION_IDS[name]}`),
        ),
      );
      expect(askers.map(({ id }) => id.replace(/[0-9A-F]{8}$/, '')).sort()).toEqual(wanted);
    },
  );

  it('leave the git credential to the function that delivers', () => {
    for (const name of ['agent', 'gates'])
      expect(definition(name).ContainerDefinitions[0].Secrets).toBeUndefined();
    const readers = roles.filter(({ grants }) =>
      grants.some(
        ({ action, resource }) =>
          action.startsWith('secretsmanager:') && resource !== FORGE_SECRET && resource !== NOTIFY_SECRET,
      ),
    );
    expect(readers.map(({ id }) => id)).toEqual([
      expect.stringMatching('^MinterMintRole'),
      expect.stringMatching('^MinterPushRole'),
      expect.stringMatching('^DeliveryDeliverRole'),
    ]);
  });

  it('can be started by nothing but ECS', () => {
    for (const name of ['agent', 'gates']) {
      const { AssumeRolePolicyDocument } = only(
        template,
        'AWS::IAM::Role',
        `WorkforceBoxes${name}TaskTaskRole`,
      ).Properties;
      expect(AssumeRolePolicyDocument.Statement).toEqual([
        { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'ecs-tasks.amazonaws.com' } },
      ]);
    }
  });
});

describe('the function that delivers', () => {
  it('may read which trees are accepted, ask for what it pushes with, read its own secret and report its failure', () => {
    const { grants } = functionRole('deliver');
    const own = grants.filter(({ action }) => !action.startsWith('logs:'));
    expect(own).toEqual([
      {
        action: 'dynamodb:GetItem',
        resource: expect.stringMatching(/^<TasksTable\w+\.Arn>$/),
        condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['passed#*', 'approved#*'] } },
      },
      {
        action: 'lambda:InvokeFunction',
        resource: expect.stringMatching('^<MinterPush'),
        condition: undefined,
      },
      { action: 'secretsmanager:GetSecretValue', resource: SECRET, condition: undefined },
      {
        action: 'events:PutEvents',
        resource: expect.stringMatching(/:event-bus\/default$/),
        condition: { StringEquals: { 'events:source': 'lambda' } },
      },
    ]);
  });

  it('is started by the dispatcher, and by nobody else: no policy of its own, no URL, no rule, no source of events', () => {
    const able = roles.filter((each) =>
      each.grants.some(
        ({ action, resource }) => action.startsWith('lambda:Invoke') && /^<DeliveryDeliver|\*/.test(resource),
      ),
    );
    expect(able.map(({ id }) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(['DispatcherLaunchRole']);
    for (const type of ['AWS::Lambda::Permission', 'AWS::Lambda::Url', 'AWS::Lambda::EventSourceMapping'])
      expect(JSON.stringify(template.findResources(type))).not.toContain('DeliveryDeliver');
  });
});

describe('state machines', () => {
  it('may call their own functions, and the cascade its queues and the janitor', () => {
    const used = (prefix: string) =>
      role(prefix)
        .grants.filter(({ action }) => !action.startsWith('logs:'))
        .map(({ action, resource }) => [action, resource]);
    expect(used('VerificationJanitorRole')).toEqual([
      ['lambda:InvokeFunction', expect.stringMatching('^<VerificationJanitorStepsFunction')],
      ['lambda:InvokeFunction', expect.stringMatching('^<VerificationJudgeAskFunction')],
    ]);
    expect(used('VerificationCascadeRole')).toEqual([
      ['lambda:InvokeFunction', expect.stringMatching('^<VerificationCascadeStepsFunction')],
      ['lambda:InvokeFunction', expect.stringMatching('^<VerificationResolverFunction')],
      ...['Agents1', 'Agents2', 'Agents3', 'Gates'].map((name) => [
        'sqs:SendMessage',
        expect.stringMatching(`^<Workforce${name}Queue`),
      ]),
      ['states:StartExecution', expect.stringMatching('^<VerificationJanitorMachine')],
    ]);
  });
});
