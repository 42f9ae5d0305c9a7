import { ArnFormat, Duration, Size, Stack } from 'aws-cdk-lib';
import { type IRepository, Repository } from 'aws-cdk-lib/aws-ecr';
import { Code, EventInvokeConfig } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import {
  CONTAINER_ENV_NAMES,
  DELIVERY_LIMIT_SECONDS,
  FUNCTION_ENV_NAMES,
} from '../shared/contract/resource-names.ts';
import type { DeliveryFunctionSize } from './container-size.ts';
import type { CredentialMinter } from './credential-minter.ts';
import { type CommonConstructProps, type FunctionImage, ServiceFunction } from './function.ts';
import type { ContainerImageBuilder } from './image-builds.ts';
import { IMAGE_PLATFORMS } from './image-platforms.ts';
import { type EcrImage, readEcrImage } from './images.ts';
import { addPrivateCa, PRIVATE_CA_FILE } from './private-ca.ts';
import type { TasksTable } from './tasks-table.ts';

export interface PatchDeliveryFunctionProps {
  readonly common: CommonConstructProps;
  readonly minter: CredentialMinter;
  readonly table: TasksTable;
  /** Where leave to push is asked for, and nowhere else. */
  readonly apiUrl: string;
  readonly size: DeliveryFunctionSize;
  /** Deliveries at a time; 0 reserves none. */
  readonly concurrency: number;
  /** ARN of the secret with what it pushes with. @default - what the minter makes, or nothing */
  readonly secretArn?: string | undefined;
  /** In ECR, by its digest. @default - built */
  readonly image?: EcrImage | undefined;
  /** What builds images in the account. @default - Docker, where the deployment runs */
  readonly builds?: ContainerImageBuilder | undefined;
}

const HANDLER = { cmd: ['index.handler'] };
/** Where an image of Lambda keeps its code. */
const TASK_ROOT = '/var/task';

/**
 * Pushes what has passed: the one function that holds a credential that can write to a repository. It runs no code of a repository, and may do
 * nothing in AWS but read which trees are accepted, ask for what it pushes with, read its own secret and say that it has failed.
 */
export class PatchDeliveryFunction extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, props: PatchDeliveryFunctionProps) {
    super(scope, id);
    const { common, size, secretArn } = props;
    const { code, when } = this.image(props);
    this.function = new ServiceFunction(this, 'Deliver', {
      common,
      name: 'deliver',
      description: 'Pushes the tree that a verdict is about, and no other',
      image: code,
      timeout: Duration.seconds(size.seconds),
      memory: size.memory,
      disk: Size.mebibytes(size.disk),
      reservedConcurrency: props.concurrency,
      environment: {
        [FUNCTION_ENV_NAMES.apiUrl]: props.apiUrl,
        [FUNCTION_ENV_NAMES.table]: props.table.table.tableName,
        ...props.minter.pushEnvironment,
        [FUNCTION_ENV_NAMES.deliverySecret]: secretArn ?? '',
        ...(common.privateCa && { [CONTAINER_ENV_NAMES.caFile]: `${TASK_ROOT}/${PRIVATE_CA_FILE}` }),
      },
    });
    // No function names an image that is not there yet.
    if (when) this.function.lambda.node.addDependency(when);
    props.table.allow(this.function);
    props.minter.allowPush(this.function);
    if (secretArn !== undefined)
      this.function.allow({ actions: ['secretsmanager:GetSecretValue'], on: [secretArn] });
    const bus = Stack.of(this).formatArn({
      service: 'events',
      resource: 'event-bus',
      resourceName: 'default',
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
    this.function.allow({
      actions: ['events:PutEvents'],
      on: [bus],
      when: { StringEquals: { 'events:source': 'lambda' } },
    });
    new EventInvokeConfig(this, 'Asynchronously', {
      function: this.function.lambda,
      // The task counts its deliveries, and asks for the next one itself.
      retryAttempts: 0,
      maxEventAge: Duration.seconds(DELIVERY_LIMIT_SECONDS.queue),
      // Lambda tells the bus of one that has not ended well, and the reconciler hears of it there.
      onFailure: { bind: () => ({ destination: bus }) },
    });
  }

  /** Lets the dispatcher start deliveries, and nobody else. */
  allow(dispatcher: ServiceFunction): void {
    dispatcher.allow({ actions: ['lambda:InvokeFunction'], on: [this.function.lambda.functionArn] });
  }

  private image({ common, image, builds }: PatchDeliveryFunctionProps): {
    readonly code: FunctionImage;
    readonly when?: Construct;
  } {
    if (image !== undefined) {
      const { account, region, name, digest } = readEcrImage(image);
      const repository: IRepository = Repository.fromRepositoryAttributes(this, 'Repository', {
        repositoryArn: Stack.of(this).formatArn({
          service: 'ecr',
          account,
          region,
          resource: 'repository',
          resourceName: name,
        }),
        repositoryName: name,
      });
      return { code: Code.fromEcrImage(repository, { tagOrDigest: digest, ...HANDLER }) };
    }
    const folder = addPrivateCa(common.bundles.functionDirectory('deliver'), common.privateCa);
    if (builds) {
      const { repository, tag, when } = builds.build('deliver', {
        kind: 'deliver',
        folder,
        dockerfile: 'Dockerfile',
        agentClis: '',
      });
      return { code: Code.fromEcrImage(repository, { tagOrDigest: tag, ...HANDLER }), when };
    }
    return {
      code: Code.fromAssetImage(folder, {
        platform: IMAGE_PLATFORMS[common.architecture].platform,
        ...HANDLER,
      }),
    };
  }
}
