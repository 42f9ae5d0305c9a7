import { Aws, Duration, Stack } from 'aws-cdk-lib';
import { CfnNamedQuery, CfnWorkGroup } from 'aws-cdk-lib/aws-athena';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue';
import { Construct } from 'constructs';
import { FUNCTION_ENV_NAMES } from '../shared/contract/resource-names.ts';
import { loadNamedSqlQueries } from '../shared/control/ledger/named-queries.ts';
import {
  RECORD_TABLE_NAMES,
  RECORD_TABLES,
  type RecordTableName,
} from '../shared/control/ledger/record-rows.ts';
import { buildHiveColumns } from '../shared/control/ledger/table-columns.ts';
import type { StackAlarms } from './alarms.ts';
import type { WorkAndRecordBuckets } from './buckets.ts';
import type { DeploymentEventBus } from './events.ts';
import { type CommonConstructProps, ServiceFunction } from './function.ts';
import { TaskStreamSubscription } from './stream-reader.ts';
import type { TasksTable } from './tasks-table.ts';

export interface RecordAnalyticsProps {
  readonly common: CommonConstructProps;
  readonly alarms: StackAlarms;
  readonly table: TasksTable;
  readonly storage: WorkAndRecordBuckets;
  readonly events: DeploymentEventBus;
  /** A query that would read more bytes is stopped; Athena bills what is read. */
  readonly scanLimitBytes: number;
  /** Of the ledger function, beside the bucket. */
  readonly environment: Record<string, string>;
}

/** The first day that partitions are looked for on: no records can be older than the project. */
const FIRST_DAY = '2026-01-01';

/** Writes the records and makes them readable with SQL. */
export class RecordAnalytics extends Construct {
  /** The function that writes the records. */
  readonly ledger: ServiceFunction;
  readonly compactor: ServiceFunction;
  readonly databaseName: string;
  readonly workGroup: CfnWorkGroup;

  constructor(scope: Construct, id: string, props: RecordAnalyticsProps) {
    super(scope, id);
    this.ledger = this.writeRecords(props);
    this.compactor = this.compactRecords(props);
    // Glue knows lower case, digits and "_" only; queries are easier to read with a name than with a generated one.
    this.databaseName = Stack.of(this).stackName.toLowerCase().replaceAll('-', '_');
    this.workGroup = this.defineWorkGroup(props);
    const database = new CfnDatabase(this, 'Database', {
      catalogId: Aws.ACCOUNT_ID,
      databaseInput: { name: this.databaseName, description: 'Records of Assay' },
    });
    for (const name of RECORD_TABLE_NAMES) this.defineTable(name, props).addResourceDependency(database);
    this.defineQueries();
  }

  private writeRecords(props: RecordAnalyticsProps): ServiceFunction {
    const { common, alarms, table, storage, events, environment } = props;
    const ledger = new ServiceFunction(this, 'Ledger', {
      common,
      name: 'ledger',
      description: 'Writes the records of what happened to S3, and puts events on the bus',
      timeout: Duration.seconds(60),
      environment: {
        ...environment,
        ...storage.environment,
        [FUNCTION_ENV_NAMES.table]: table.table.tableName,
        [FUNCTION_ENV_NAMES.eventBus]: events.bus.eventBusName,
        [FUNCTION_ENV_NAMES.metricsNamespace]: Stack.of(this).stackName,
      },
    });
    events.allow(ledger);
    storage.allow(ledger, ['PutObject'], ['records/']);
    new TaskStreamSubscription(this, 'Stream', {
      alarms,
      table,
      reader: ledger,
      givesUpTo: storage,
      consequence: 'its records are missing from S3, and nobody was told of it by an event.',
      // One object for a batch: Athena pays for each object that it opens.
      batch: { batchSize: 500, maxBatchingWindow: Duration.seconds(30) },
    });
    return ledger;
  }

  /** Athena pays for each object that it opens, and a quiet table makes one every half a minute. */
  private compactRecords({ common, storage }: RecordAnalyticsProps): ServiceFunction {
    const compactor = new ServiceFunction(this, 'Compactor', {
      common,
      name: 'compactor',
      description: 'Makes few objects of the many records of a day that is over',
      timeout: Duration.minutes(15),
      // The text of one object of 32 MiB, a few times.
      memory: 1_024,
      environment: storage.environment,
    });
    storage.allowList(compactor, 'records/');
    storage.allow(compactor, ['GetObject', 'DeleteObject'], ['records/']);
    storage.allowOnce(compactor, ['records/']);
    new Rule(this, 'EveryThreeHours', {
      description: 'Compacts the records of days that are over',
      schedule: Schedule.rate(Duration.hours(3)),
      // The next round does the same.
      targets: [new LambdaFunction(compactor.lambda, { retryAttempts: 0 })],
    });
    return compactor;
  }

  private defineWorkGroup({ storage, scanLimitBytes }: RecordAnalyticsProps): CfnWorkGroup {
    return new CfnWorkGroup(this, 'WorkGroup', {
      name: Stack.of(this).stackName,
      description: 'Queries over the records of Assay',
      recursiveDeleteOption: true,
      workGroupConfiguration: {
        enforceWorkGroupConfiguration: true,
        publishCloudWatchMetricsEnabled: false,
        bytesScannedCutoffPerQuery: scanLimitBytes,
        resultConfiguration: {
          outputLocation: storage.bucket.s3UrlForObject('athena-results/'),
          encryptionConfiguration: { encryptionOption: 'SSE_S3' },
        },
      },
    });
  }

  private defineTable(name: RecordTableName, { storage }: RecordAnalyticsProps): CfnTable {
    const location = storage.bucketOf('records/').s3UrlForObject(`records/table=${name}/`);
    return new CfnTable(this, `Table-${name}`, {
      catalogId: Aws.ACCOUNT_ID,
      databaseName: this.databaseName,
      tableInput: {
        name,
        tableType: 'EXTERNAL_TABLE',
        partitionKeys: [{ name: 'dt', type: 'string' }],
        // Athena works the partitions out by itself: no crawler, nothing to add each day.
        parameters: {
          classification: 'json',
          'projection.enabled': 'true',
          'projection.dt.type': 'date',
          'projection.dt.format': 'yyyy-MM-dd',
          'projection.dt.range': `${FIRST_DAY},NOW`,
          'projection.dt.interval': '1',
          'projection.dt.interval.unit': 'DAYS',
          'storage.location.template': `${location}dt=\${dt}/`,
        },
        storageDescriptor: {
          location,
          columns: buildHiveColumns(name, RECORD_TABLES[name]),
          inputFormat: 'org.apache.hadoop.mapred.TextInputFormat',
          outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
          serdeInfo: {
            serializationLibrary: 'org.openx.data.jsonserde.JsonSerDe',
            // A row that cannot be read must be seen, not skipped.
            parameters: { 'ignore.malformed.json': 'false' },
          },
        },
      },
    });
  }

  private defineQueries(): void {
    for (const { name, about, sql } of loadNamedSqlQueries()) {
      const query = new CfnNamedQuery(this, `Query-${name}`, {
        name,
        database: this.databaseName,
        workGroup: this.workGroup.name,
        description: about,
        queryString: sql,
      });
      query.addResourceDependency(this.workGroup);
    }
  }
}
