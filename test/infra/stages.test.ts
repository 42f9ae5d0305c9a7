import { describe, expect, it } from 'vitest';
import { FARGATE_ZONE_IDS } from '../../infra/fargate-zones.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { only, type Properties, policiesOf, synthesise, text } from './synthesise.ts';

const VPC = {
  vpc: 'vpc-0123456789abcdef0',
  subnets: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
};
const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/0b0b0b0b-1111-2222-3333-444444444444';
const dev = synthesise({ 'assay:stage': 'dev', 'assay:tags': '{"team":"platform"}' });
const prod = synthesise({ 'assay:stage': 'prod' });

/** Properties that give a resource its physical name, which the account or the world has once. */
const NAMES = /^(?:.*Name|Name|Family|AliasName)$/;
/** Names within something else that is named already, or of no resource. */
const WITHIN = new Set([
  'AttributeName',
  'IndexName',
  'PolicyName',
  'MetricName',
  'ContainerName',
  'FilterName',
  'KeyName',
  'EventBusName',
]);

/** Every fixed physical name in a template: `<type> <name>`. */
const fixedNames = (template: ReturnType<typeof synthesise>): string[] =>
  Object.values(
    template.toJSON()['Resources'] as Record<string, { Type: string; Properties?: object }>,
  ).flatMap(({ Type, Properties = {} }) =>
    Object.entries(Properties)
      .filter(([key, value]) => NAMES.test(key) && !WITHIN.has(key) && typeof value === 'string')
      .map(([, value]) => `${Type} ${String(value)}`),
  );
/** Types whose names need not be unique. */
const REPEATABLE = /^AWS::(Athena::NamedQuery|ApiGatewayV2::(Authorizer|Api|Stage)|Glue::Table) /;

describe('two stages in one account', () => {
  it('share no fixed name', () => {
    const first = fixedNames(dev).filter((name) => !REPEATABLE.test(name));
    expect(first).toContain('AWS::Events::EventBus Assay-dev');
    expect(first).toContain('AWS::Athena::WorkGroup Assay-dev');
    const second = new Set(fixedNames(prod));
    expect(first.filter((name) => second.has(name))).toEqual([]);
  });

  it('share no metric, so that no alarm of one hears of the other', () => {
    const spaces = (template: typeof dev) =>
      new Set(JSON.stringify(template.toJSON()).match(/"(?:Namespace|MetricNamespace)":"Assay[^"]*"/g));
    expect(spaces(dev)).toEqual(new Set(['"Namespace":"Assay-dev"', '"MetricNamespace":"Assay-dev"']));
    for (const id of ['ConductorConduct', 'AnalyticsLedger'])
      expect(
        only(dev, 'AWS::Lambda::Function', id).Properties['Environment'].Variables.ASSAY_METRICS_NAMESPACE,
      ).toBe('Assay-dev');
  });

  it('have a database each, which Athena can name', () => {
    expect(only(dev, 'AWS::Glue::Database').Properties['DatabaseInput'].Name).toBe('assay_dev');
  });

  it('are told apart by their tags', () => {
    expect(only(dev, 'AWS::S3::Bucket').Properties['Tags']).toEqual(
      expect.arrayContaining([
        { Key: 'service', Value: 'assay' },
        { Key: 'stage', Value: 'dev' },
        { Key: 'team', Value: 'platform' },
      ]),
    );
  });
});

describe('a network that is there already', () => {
  const own = synthesise({ 'assay:vpc': JSON.stringify(VPC) });
  const launches = only(own, 'AWS::Lambda::Function', 'DispatcherLaunch').Properties['Environment'].Variables;

  it('is where boxes run, without addresses, in a group that lets nothing in', () => {
    expect(own.findResources('AWS::EC2::VPC')).toEqual({});
    expect(launches).toMatchObject({ ASSAY_SUBNETS: VPC.subnets.join(','), ASSAY_ASSIGN_PUBLIC_IP: 'false' });
    const group = only(own, 'AWS::EC2::SecurityGroup').Properties;
    expect(group).toMatchObject({ VpcId: VPC.vpc, SecurityGroupEgress: [{ FromPort: 443, ToPort: 443 }] });
    expect(group['SecurityGroupIngress']).toBeUndefined();
  });

  it('may bring its own groups', () => {
    const groups = ['sg-0123456789abcdef0'];
    const theirs = synthesise({
      'assay:vpc': JSON.stringify({ ...VPC, security_groups: groups, public_addresses: true }),
    });
    expect(theirs.findResources('AWS::EC2::SecurityGroup')).toEqual({});
    expect(
      only(theirs, 'AWS::Lambda::Function', 'DispatcherLaunch').Properties['Environment'].Variables,
    ).toMatchObject({
      ASSAY_SECURITY_GROUPS: groups[0],
      ASSAY_ASSIGN_PUBLIC_IP: 'true',
    });
  });
});

describe('zones of our own network', () => {
  it('are those that were asked for', () => {
    const zones = ['eu-west-1a', 'eu-west-1c'];
    const own = synthesise({ 'assay:zones': JSON.stringify(zones) });
    const used = Object.values(own.findResources('AWS::EC2::Subnet')).map(
      ({ Properties }) => Properties.AvailabilityZone,
    );
    expect(new Set(used)).toEqual(new Set(zones));
  });
});

describe('zones without Fargate', () => {
  const subnets = synthesise({ 'assay:network': 'private-nat' }).findResources('AWS::EC2::Subnet');
  const resolve = (value: unknown, region: string): unknown => {
    const [condition, yes, no] = (value as { 'Fn::If'?: [string, unknown, unknown] })['Fn::If'] ?? [];
    if (condition === undefined) return value;
    const its = condition.replace(/^.*Is/, '').replace(/[0-9A-F]{8}$/, '');
    return resolve(its === region.replaceAll('-', '') ? yes : no, region);
  };

  it.each(Object.entries(FARGATE_ZONE_IDS))('are left out in %s, by id', (region, zones) => {
    const ids = Object.values(subnets).map(({ Properties }) =>
      resolve(Properties.AvailabilityZoneId, region),
    );
    expect(new Set(ids)).toEqual(new Set(zones));
    for (const { Properties } of Object.values(subnets))
      expect(resolve(Properties.AvailabilityZone, region)).toEqual({ Ref: 'AWS::NoValue' });
  });

  it('are none elsewhere', () => {
    for (const { Properties } of Object.values(subnets)) {
      expect(resolve(Properties.AvailabilityZoneId, 'eu-west-1')).toEqual({ Ref: 'AWS::NoValue' });
      expect(resolve(Properties.AvailabilityZone, 'eu-west-1')).toHaveProperty('Fn::Select');
    }
  });
});

describe("a key of one's own", () => {
  const keyed = synthesise({ 'assay:keyArn': KEY });

  it('encrypts table and bucket', () => {
    expect(JSON.stringify(only(keyed, 'AWS::DynamoDB::GlobalTable').Properties['Replicas'])).toContain(KEY);
    expect(only(keyed, 'AWS::S3::Bucket').Properties['BucketEncryption']).toMatchObject({
      ServerSideEncryptionConfiguration: [
        { ServerSideEncryptionByDefault: { KMSMasterKeyID: KEY, SSEAlgorithm: 'aws:kms' } },
      ],
    });
  });

  it('may be used by whoever uses table or bucket, and only through them', () => {
    const granted = policiesOf(keyed).flatMap(({ roles, statements }) =>
      statements
        .filter(({ Resource }) => Resource === KEY)
        .map(({ Condition }) => ({ by: roles[0] ?? '', through: JSON.stringify(Condition) })),
    );
    const users = new Set(granted.map(({ by }) => by.replace(/Role[0-9A-F]{8}$/, '')));
    expect(users).toContain('DispatcherLaunch');
    expect(users).toContain('AnalyticsLedger');
    expect([...users].filter((name) => /Boxes|Cluster/.test(name))).toEqual([]);
    for (const { through } of granted) expect(through).toMatch(/kms:ViaService.*(dynamodb|s3)/);
  });
});

describe('settings of a deployment', () => {
  it.each([
    ['stackName', '1Assay'],
    ['stage', 'a b'],
    ['tags', '{"aws:x":"y"}'],
    ['vpc', '{"vpc":"vpc-1","subnets":[]}'],
    ['zones', '["eu-west-1"]'],
    ['keyArn', 'alias/mine'],
  ])('%s cannot be %s', (name, value) => {
    expect(() => synthesise({ [`assay:${name}`]: value })).toThrow(`assay:${name}`);
  });
});

describe('the bucket', () => {
  const kept = only(
    synthesise({ 'assay:keepVersionsDays': '30', 'assay:accessLogBucket': 'our-logs' }),
    'AWS::S3::Bucket',
  ).Properties;

  it('keeps versions where that is asked for, and those of assignments for a day', () => {
    expect(kept['VersioningConfiguration']).toEqual({ Status: 'Enabled' });
    const days = (Prefix: string) =>
      kept['LifecycleConfiguration'].Rules.find(
        (rule: Record<string, unknown>) => rule['Prefix'] === Prefix && rule['NoncurrentVersionExpiration'],
      )?.NoncurrentVersionExpiration.NoncurrentDays;
    expect([days('records/'), days('assignments/')]).toEqual([30, 1]);
    expect(only(dev, 'AWS::S3::Bucket').Properties['VersioningConfiguration']).toBeUndefined();
  });

  it('has its access logs put where that is asked for', () => {
    expect(kept['LoggingConfiguration']).toEqual({
      DestinationBucketName: 'our-logs',
      LogFilePrefix: 'Assay/',
    });
  });
});

describe('the locked bucket', () => {
  const locked = synthesise({
    'assay:objectLock': '{"mode":"compliance","days":500}',
    'assay:onDelete': 'destroy',
    'assay:accessLogBucket': 'our-logs',
  });
  const its = only(locked, 'AWS::S3::Bucket', 'StorageLocked');

  it('locks all that comes into it, for as long as is asked for, and outlives the stack', () => {
    expect(its.Properties).toMatchObject({
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Days: 500 } } },
      VersioningConfiguration: { Status: 'Enabled' },
      LoggingConfiguration: { DestinationBucketName: 'our-logs', LogFilePrefix: 'Assay/locked/' },
    });
    expect(its.DeletionPolicy).toBe('RetainExceptOnCreate');
    expect(only(locked, 'AWS::S3::Bucket', 'StorageBucket').Properties['ObjectLockEnabled']).toBeUndefined();
  });

  it('shows what is locked for as long as it is locked', () => {
    const seen = its.Properties['LifecycleConfiguration'].Rules.filter(
      (rule: Properties) => rule['ExpirationInDays'],
    ).map((rule: Properties) => [rule['Prefix'], rule['ExpirationInDays']]);
    expect(seen).toEqual([
      ['evidence/', 500],
      ['records/', 500],
    ]);
  });

  it('takes evidence and records, and nothing else: no role may write anything else there, nor those elsewhere', () => {
    const places = policiesOf(locked)
      .flatMap(({ statements }) => statements)
      .flatMap(({ Action, Resource }: Properties) =>
        [Action].flat().some((each: string) => each.startsWith('s3:')) ? [Resource].flat().map(text) : [],
      );
    const prefixes = (bucket: string) =>
      new Set(
        places
          .filter((place: string) => place.startsWith(`<Storage${bucket}`))
          // Without a folder: which objects there are, below a prefix.
          .flatMap((place: string) => place.split('/')[1] ?? []),
      );
    expect(prefixes('Locked')).toEqual(new Set(['evidence', 'records']));
    for (const prefix of prefixes('Locked')) expect(prefixes('Bucket')).not.toContain(prefix);
  });

  it('is where Athena looks, and every function that is told of the bucket is told of it', () => {
    for (const { Properties: its } of Object.values(locked.findResources('AWS::Glue::Table')))
      expect(text(its.TableInput.StorageDescriptor.Location)).toMatch(
        /^s3:\/\/<StorageLocked\w+>\/records\//,
      );
    for (const { Properties: its } of Object.values(locked.findResources('AWS::Lambda::Function'))) {
      const variables = its.Environment?.Variables ?? {};
      expect(FUNCTION_ENV_NAMES.lockedBucket in variables).toBe(FUNCTION_ENV_NAMES.bucket in variables);
    }
  });
});
