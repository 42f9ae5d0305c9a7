import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { INDEXES, ITEM_PREFIX, SUMMARY_ATTRIBUTES, TABLE } from '../shared/names.ts';
import type { Common, ServiceFunction } from './function.ts';
import { allow } from './permissions.ts';

type IndexName = keyof typeof INDEXES;

const key = (name: string) => ({ name, type: AttributeType.STRING });

/** The one table: tasks, repository locks, operator tokens and the counters of the verification nudge. */
export class TasksTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, props: { readonly common: Common }) {
    super(scope, id);
    const { removalPolicy } = props.common;
    this.table = new TableV2(this, 'Table', {
      partitionKey: key(TABLE.pk),
      sortKey: key(TABLE.sk),
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: TABLE.ttl,
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      removalPolicy,
      deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
      globalSecondaryIndexes: Object.entries(INDEXES).map(([index, { name, pk, sk }]) => ({
        indexName: name,
        partitionKey: key(pk),
        sortKey: key(sk),
        ...(index === 'byStatus'
          ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...SUMMARY_ATTRIBUTES] }
          : { projectionType: ProjectionType.KEYS_ONLY }),
      })),
    });
  }

  /** Lets a function use these DynamoDB actions on items of one kind, by what their partition keys begin with. */
  allowUnder(grantee: ServiceFunction, prefix: keyof typeof ITEM_PREFIX, actions: readonly string[]): void {
    allow(grantee.role, {
      actions: actions.map((action) => `dynamodb:${action}`),
      on: [this.table.tableArn],
      when: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${ITEM_PREFIX[prefix]}*`] } },
    });
  }

  /** Lets a function use these DynamoDB actions on the items, and query the named indexes. */
  allow(grantee: ServiceFunction, actions: readonly string[], indexes: readonly IndexName[] = []): void {
    const arn = this.table.tableArn;
    allow(grantee.role, { actions: actions.map((action) => `dynamodb:${action}`), on: [arn] });
    if (indexes.length > 0)
      allow(grantee.role, {
        actions: ['dynamodb:Query'],
        on: indexes.map((index) => `${arn}/index/${INDEXES[index].name}`),
      });
  }
}
