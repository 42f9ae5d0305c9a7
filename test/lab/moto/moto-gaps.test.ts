import { describe, expect, it } from 'vitest';
import { adaptTemplate, MOTO_GAPS } from '../../../lab/moto/moto-gaps.ts';

const lambda = (environment: Record<string, unknown>) => ({
  Type: 'AWS::Lambda::Function',
  Properties: { Environment: { Variables: environment } },
});

describe('the template for moto', () => {
  it('lacks resources of unknown types, and every reference to them', () => {
    const { template, leftOut } = adaptTemplate({
      Conditions: { IsChina: { 'Fn::Equals': ['a', 'b'] } },
      Resources: {
        Database: { Type: 'AWS::Glue::Database' },
        Topic: { Type: 'AWS::SNS::Topic' },
        Function: {
          ...lambda({
            REF: { Ref: 'Database' },
            LIST: { 'Fn::Join': ['', [{ 'Fn::GetAtt': ['Database', 'Arn'] }]] },
            TEXT: { 'Fn::GetAtt': 'Database.Arn' },
            KEPT: { Ref: 'Topic' },
          }),
          DependsOn: ['Database', 'Topic'],
        },
      },
    });
    expect(leftOut).toEqual(['Database']);
    expect(template).toEqual({
      Conditions: { IsChina: { 'Fn::Equals': ['a', 'b'] } },
      Resources: {
        Topic: { Type: 'AWS::SNS::Topic' },
        Function: {
          ...lambda({
            REF: 'left-out',
            LIST: { 'Fn::Join': ['', ['left-out']] },
            TEXT: 'left-out',
            KEPT: { Ref: 'Topic' },
          }),
          DependsOn: ['Topic'],
        },
      },
    });
  });

  it('has a table of one region in the place of a global one', () => {
    const { template } = adaptTemplate({
      Resources: {
        Table: {
          Type: 'AWS::DynamoDB::GlobalTable',
          Properties: { BillingMode: 'PAY_PER_REQUEST', Replicas: [] },
        },
      },
    });
    expect(template.Resources['Table']).toEqual({
      Type: 'AWS::DynamoDB::Table',
      Properties: { BillingMode: 'PAY_PER_REQUEST' },
    });
  });

  it('counts the resources of each gap', () => {
    const key = { Type: 'AWS::KMS::Key', Properties: { Tags: [{ Key: 'a', Value: 'b' }] } };
    const { byGap } = adaptTemplate({ Resources: { One: key, Two: key, Plain: { Type: 'AWS::KMS::Key' } } });
    expect(byGap.get('no KMS keys with tags')).toBe(2);
    expect(byGap.get('no AWS::Lambda::Url')).toBe(0);
  });
});

describe('the example of a gap', () => {
  it.each(MOTO_GAPS)('$name is matched by it, and refers only to itself', ({ matches, example }) => {
    const { It } = example;
    expect(It && matches(It)).toBe(true);
    const references = [...JSON.stringify(example).matchAll(/"Ref":"(\w+)"/g)].map(([, id]) => id);
    expect(Object.keys(example)).toEqual(expect.arrayContaining(references));
  });
});
