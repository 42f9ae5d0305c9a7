import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ResolvedResource } from '../../../local/shared-types.ts';
import { type AssemblyStack, readAssembly } from '../../../local/template/assets.ts';
import { resolveTemplate } from '../../../local/template.ts';
import { temporaryDirectory } from '../support/resources.ts';

const PLACES = {
  sqsEndpoint: 'http://127.0.0.1:1',
  apiEndpoint: 'http://127.0.0.1:2',
  functionUrl: 'http://127.0.0.1:3',
};

const resources = (template: Record<string, unknown>): readonly ResolvedResource[] => {
  const stack: AssemblyStack = { name: 'Assay', template, assets: { file: () => null, image: () => null } };
  return resolveTemplate(stack, PLACES);
};

/** What a value in a function's environment resolves to, in a template with something to refer to. */
const resolved = (value: unknown): unknown => {
  const all = resources({
    Parameters: { Given: { Type: 'String', Default: 'default' }, Asked: { Type: 'String' } },
    Conditions: {
      Yes: { 'Fn::Equals': [{ Ref: 'Given' }, 'default'] },
      No: { 'Fn::Not': [{ Condition: 'Yes' }] },
      Both: { 'Fn::And': [{ Condition: 'Yes' }, { Condition: 'No' }] },
      Either: { 'Fn::Or': [{ Condition: 'Yes' }, { Condition: 'No' }] },
    },
    Mappings: { Map: { first: { second: 'mapped' } } },
    Resources: {
      Table: { Type: 'AWS::DynamoDB::GlobalTable', Properties: {} },
      Queue: {
        Type: 'AWS::SQS::Queue',
        Properties: { QueueName: { 'Fn::Join': ['-', ['q', { Ref: 'Given' }]] } },
      },
      Bucket: { Type: 'AWS::S3::Bucket', Properties: {} },
      Machine: { Type: 'AWS::StepFunctions::StateMachine', Properties: { StateMachineName: 'm' } },
      Box: { Type: 'AWS::ECS::TaskDefinition', Properties: {} },
      Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: {} },
      Role: { Type: 'AWS::IAM::Role', Properties: { Unknown: { 'Fn::Transform': {} } } },
      Function: { Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables: { V: value } } } },
    },
  });
  const [environment] = all.flatMap(({ properties }) => properties['Environment'] ?? []);
  return (environment as { Variables: { V: unknown } }).Variables.V;
};

/** A placeholder of `Fn::Sub`. */
const placeholder = (name: string): string => ['$', '{', name, '}'].join('');

describe('a value', () => {
  test.each<[unknown, unknown]>([
    ['plain', 'plain'],
    [{ nested: [1, true, { deep: { Ref: 'Given' } }] }, { nested: [1, true, { deep: 'default' }] }],
    [{ Ref: 'AWS::AccountId' }, '000000000000'],
    [{ Ref: 'AWS::Region' }, 'us-east-1'],
    [
      [1, { Ref: 'AWS::NoValue' }, 2],
      [1, 2],
    ],
    [{ kept: 1, gone: { Ref: 'AWS::NoValue' } }, { kept: 1 }],
    [{ Ref: 'Table' }, 'Table'],
    [
      { 'Fn::GetAtt': ['Table', 'StreamArn'] },
      expect.stringMatching(/^arn:aws:dynamodb:us-east-1:0{12}:table\/Table\/stream\//),
    ],
    [{ Ref: 'Queue' }, 'http://127.0.0.1:1/000000000000/q-default'],
    [{ 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:q-default'],
    [{ Ref: 'Bucket' }, 'bucket'],
    [{ Ref: 'Machine' }, 'arn:aws:states:us-east-1:000000000000:stateMachine:m'],
    [{ 'Fn::GetAtt': 'Machine.Name' }, 'm'],
    [{ Ref: 'Box' }, 'arn:aws:ecs:us-east-1:000000000000:task-definition/Box:1'],
    [{ 'Fn::GetAtt': ['Api', 'ApiEndpoint'] }, 'http://127.0.0.1:2'],
    [{ 'Fn::GetAtt': ['Role', 'Arn'] }, 'arn:aws:iam:us-east-1:000000000000:Role'],
    [{ Ref: 'Role' }, 'Role'],
    [{ 'Fn::Join': [':', ['a', { Ref: 'Given' }, 1]] }, 'a:default:1'],
    [{ 'Fn::Sub': `a ${placeholder('Given')} ${placeholder('Queue.QueueName')}` }, 'a default q-default'],
    [{ 'Fn::Sub': placeholder('!Given') }, placeholder('Given')],
    [{ 'Fn::Sub': [placeholder('Own'), { Own: { Ref: 'Bucket' } }] }, 'bucket'],
    [{ 'Fn::Select': [1, { 'Fn::Split': ['-', 'a-b-c'] }] }, 'b'],
    [{ 'Fn::FindInMap': ['Map', 'first', 'second'] }, 'mapped'],
    [{ 'Fn::If': ['Yes', 'then', 'else'] }, 'then'],
    [{ 'Fn::If': ['No', 'then', 'else'] }, 'else'],
    [{ 'Fn::If': ['Both', 'then', { Ref: 'AWS::NoValue' }] }, undefined],
    [{ 'Fn::If': ['Either', { Ref: 'Given' }, 'else'] }, 'default'],
    [{ 'Fn::Base64': 'text' }, 'dGV4dA=='],
  ])('%j resolves to %j', (value, expected) => {
    expect(resolved(value)).toEqual(expected);
  });

  test.each<[unknown, string]>([
    [{ 'Fn::ImportValue': 'x' }, 'Fn::ImportValue'],
    [{ 'Fn::Transform': {} }, 'Fn::Transform'],
    [{ Ref: 'Nobody' }, 'Nobody'],
    [{ Ref: 'Asked' }, 'parameter Asked has no default'],
    [{ 'Fn::GetAtt': ['Queue', 'Colour'] }, 'AWS::SQS::Queue has no attribute Colour'],
    [{ 'Fn::If': ['Maybe', 1, 2] }, 'there is no condition Maybe'],
    [{ 'Fn::FindInMap': ['Map', 'first', 'third'] }, 'Map.first.third'],
    [{ 'Fn::Join': ['', [{ a: 1 }]] }, 'Fn::Join needs a string'],
  ])('%j is refused, with its name and that of the resource', (value, named) => {
    expect(() => resolved(value)).toThrow(named);
    expect(() => resolved(value)).toThrow('AWS::Lambda::Function Function');
  });
});

test('a resource has its physical name, whether or not the template gives it one', () => {
  const [table, queue] = resources({
    Resources: {
      Table: { Type: 'AWS::DynamoDB::GlobalTable', Properties: {} },
      Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'named' }, Metadata: { a: 1 } },
    },
  });
  expect(table).toMatchObject({ logicalId: 'Table', properties: { TableName: 'Table' }, metadata: {} });
  expect(queue).toMatchObject({ properties: { QueueName: 'named' }, metadata: { a: 1 } });
});

test('types without an embedded meaning are passed over, unknown ones are refused by name', () => {
  const of = (Type: string) => resources({ Resources: { It: { Type } } });
  for (const type of [
    'AWS::IAM::Role',
    'AWS::KMS::Key',
    'AWS::CloudWatch::Dashboard',
    'Custom::Any',
    'AWS::EC2::VPC',
  ]) {
    expect(of(type)).toEqual([]);
  }
  expect(() => of('AWS::RDS::DBInstance')).toThrow('AWS::RDS::DBInstance (It)');
  expect(() => of('AWS::CloudWatch::MetricStream')).toThrow('AWS::CloudWatch::MetricStream');
});

test('a resource whose condition does not hold is not there', () => {
  const template = {
    Conditions: { Never: { 'Fn::Equals': ['a', 'b'] } },
    Resources: { Queue: { Type: 'AWS::SQS::Queue', Condition: 'Never' }, Other: { Type: 'AWS::SQS::Queue' } },
  };
  expect(resources(template).map(({ logicalId }) => logicalId)).toEqual(['Other']);
});

describe('an assembly', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => directory.remove());
  const write = (file: string, value: unknown): void =>
    writeFileSync(join(directory.path, file), typeof value === 'string' ? value : JSON.stringify(value));
  const stack = { type: 'aws:cloudformation:stack', properties: { templateFile: 'A.template.json' } };

  test('gives the code of functions, the contexts of images and the definitions of machines', () => {
    mkdirSync(join(directory.path, 'asset.code'));
    write('manifest.json', {
      artifacts: {
        A: stack,
        'A.assets': { type: 'cdk:asset-manifest', properties: { file: 'A.assets.json' } },
      },
    });
    write('A.assets.json', {
      files: {
        code: { source: { path: 'asset.code' }, destinations: { here: { objectKey: 'code.zip' } } },
        machine: { source: { path: 'machine.json' }, destinations: { here: { objectKey: 'machine.json' } } },
      },
      dockerImages: {
        image: { source: { directory: 'asset.image' }, destinations: { here: { imageTag: 'tag' } } },
      },
    });
    write('machine.json', { StartAt: placeholder('First') });
    write('A.template.json', {
      Resources: {
        Machine: {
          Type: 'AWS::StepFunctions::StateMachine',
          Properties: {
            DefinitionS3Location: { Bucket: 'b', Key: 'machine.json' },
            DefinitionSubstitutions: { First: { Ref: 'AWS::Region' } },
          },
        },
      },
    });
    const assembly = readAssembly(directory.path);
    expect(assembly.assets.file('code.zip')).toBe(join(directory.path, 'asset.code'));
    expect(assembly.assets.image('000000000000.dkr.ecr.us-east-1.amazonaws.com/assets:tag')).toBe(
      join(directory.path, 'asset.image'),
    );
    expect([assembly.assets.file('other.zip'), assembly.assets.image('x:other')]).toEqual([null, null]);
    expect(resolveTemplate(assembly, PLACES)[0]?.properties['DefinitionString']).toBe(
      '{"StartAt":"us-east-1"}',
    );
  });

  test.each([[{}], [{ A: stack, B: stack }]])('with other than one stack is refused: %j', (artifacts) => {
    write('manifest.json', { artifacts });
    expect(() => readAssembly(directory.path)).toThrow('exactly one stack');
  });
});
