import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type * as z from 'zod';
import { getBundleDirectories } from './bundles.ts';
import { buildDeploymentConstructs } from './deployment-constructs.ts';
import { type DeploymentSettings, parseSettings } from './settings.ts';

/** As the context values `assay:<name>` of our own app, but for what an app decides by itself: names, stages and tags. */
export type AssayProps = Omit<z.input<typeof DeploymentSettings>, 'stackName' | 'stage' | 'tags'>;

/** Bundles of the functions and boxes, where the package has them. */
const BUNDLES = join(import.meta.dirname, '../bundles');

const taken = new WeakSet<Stack>();

/** Assay in a stack of one's own: everything that `cdk deploy` of the repository makes, named after that stack. */
export class Assay extends Construct {
  /** Base URL of the API. */
  readonly apiUrl: string;
  /** Tasks; `assay token create --table` makes operator tokens in it. */
  readonly tableName: string;
  /** Artifacts, evidence and records. */
  readonly bucket: IBucket;
  /** Evidence and records, where `objectLock` is set. */
  readonly lockedBucket: IBucket | undefined;
  /** What happens to tasks: docs/reference/events.md. */
  readonly eventBus: IEventBus;
  /** Hears of tasks that people should look at. */
  readonly peopleTopic: ITopic;
  /** Hears of every alarm. */
  readonly alarmTopic: ITopic;

  /** @throws Error that names each wrong setting, or when the stack has one already */
  constructor(scope: Construct, id: string, props: AssayProps = {}) {
    super(scope, id);
    const stack = Stack.of(this);
    if (taken.has(stack))
      throw new Error(
        `${stack.node.path} has an Assay already: bus, database and metrics are named after the stack. Give the second a stack of its own.`,
      );
    taken.add(stack);
    const parts = buildDeploymentConstructs(this, {
      bundles: getBundleDirectories(BUNDLES),
      settings: parseSettings(props, ''),
    });
    this.apiUrl = parts.api.url;
    this.tableName = parts.table.table.tableName;
    this.bucket = parts.storage.bucket;
    this.lockedBucket = parts.storage.locked;
    this.eventBus = parts.events.bus;
    this.peopleTopic = parts.events.topic;
    this.alarmTopic = parts.alarms.topic;
  }
}
