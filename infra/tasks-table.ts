import {
  AttributeType,
  Billing,
  type CfnGlobalTable,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import {
  TABLE_INDEXES,
  TABLE_ITEM_KEY_PREFIXES,
  TASK_SUMMARY_ATTRIBUTES,
  TASKS_TABLE_KEY_ATTRIBUTES,
} from '../shared/contract/resource-names.ts';
import type { DataEncryptionKey } from './data-encryption-key.ts';
import type { CommonConstructProps, ServiceFunction } from './function.ts';
import { grantPermission } from './permissions.ts';
import { type FunctionTableAccess, TABLE_ACCESS_BY_FUNCTION } from './table-access.ts';

const key = (name: string) => ({ name, type: AttributeType.STRING });

/** The one table: tasks, who holds which files, operator tokens and counts. */
export class TasksTable extends Construct {
  readonly table: TableV2;
  readonly #dataKey: DataEncryptionKey | undefined;

  constructor(
    scope: Construct,
    id: string,
    props: { readonly common: CommonConstructProps; readonly dataKey?: DataEncryptionKey | undefined },
  ) {
    super(scope, id);
    const { removalPolicy } = props.common;
    this.#dataKey = props.dataKey;
    this.table = new TableV2(this, 'Table', {
      partitionKey: key(TASKS_TABLE_KEY_ATTRIBUTES.pk),
      sortKey: key(TASKS_TABLE_KEY_ATTRIBUTES.sk),
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: TASKS_TABLE_KEY_ATTRIBUTES.ttl,
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      removalPolicy,
      // Set after the creation, by `npm run deploy`: CloudFormation could not remove a protected table when it rolls back.
      deletionProtection: false,
      globalSecondaryIndexes: Object.entries(TABLE_INDEXES).map(([index, { name, pk, sk }]) => ({
        indexName: name,
        partitionKey: key(pk),
        sortKey: key(sk),
        ...(index === 'byStatus'
          ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...TASK_SUMMARY_ATTRIBUTES] }
          : { projectionType: ProjectionType.KEYS_ONLY }),
      })),
    });
    if (props.dataKey) this.encryptWith(props.dataKey.key);
  }

  /** By hand, because CDK asks for a region that it does not need for a table in one. */
  private encryptWith(key: IKey): void {
    const table = this.table.node.defaultChild as CfnGlobalTable;
    table.sseSpecification = { sseEnabled: true, sseType: 'KMS' };
    table.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: key.keyArn });
  }

  /** Lets a function do with the items what the table of access says of it: each action on its kinds of items only. */
  allow(grantee: ServiceFunction): void {
    this.#dataKey?.allow(grantee, 'dynamodb');
    const arn = this.table.tableArn;
    const { indexes, ...actions }: FunctionTableAccess = TABLE_ACCESS_BY_FUNCTION[grantee.name];
    for (const [action, kinds] of Object.entries(actions))
      grantPermission(grantee.role, {
        actions: [`dynamodb:${action}`],
        on: [arn],
        when: {
          'ForAllValues:StringLike': {
            'dynamodb:LeadingKeys': kinds.map((kind) => `${TABLE_ITEM_KEY_PREFIXES[kind]}*`),
          },
        },
      });
    // The leading key of an index is its own partition key, which says nothing about the kind of an item; only tasks are in them.
    if (indexes)
      grantPermission(grantee.role, {
        actions: ['dynamodb:Query'],
        on: indexes.map((index) => `${arn}/index/${TABLE_INDEXES[index].name}`),
      });
  }
}
