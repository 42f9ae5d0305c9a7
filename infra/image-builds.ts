import { CustomResource, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { CfnProject } from 'aws-cdk-lib/aws-codebuild';
import { Repository, TagMutability } from 'aws-cdk-lib/aws-ecr';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Role } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as InlineFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Construct } from 'constructs';
import type { LaunchKind } from '../shared/contract/launch-kind.ts';
import { sha256 } from '../shared/lib/sha256.ts';
import type { CommonConstructProps } from './function.ts';
import { BUILD_SPEC, IMAGE_BUILD_HANDLER } from './image-build-program.ts';
import { IMAGE_PLATFORMS } from './image-platforms.ts';
import { grantPermission, InlinePolicyRole } from './permissions.ts';

/** Minutes that CloudFormation waits for an image at the most; a build ends before. */
const PATIENCE = { build: 50, resource: 60 };

export interface ImageToBuild {
  readonly kind: LaunchKind;
  /** What it is built of. */
  readonly folder: string;
  readonly dockerfile: string;
  readonly agentClis: string;
  readonly buildArgs?: Readonly<Record<string, string>>;
}

export interface BuiltImage {
  readonly repository: Repository;
  readonly tag: string;
  /** There when the image is. */
  readonly when: Construct;
}

/**
 * Builds the images of the boxes in the account, with CodeBuild, so that whoever deploys needs no Docker. What an image is made of is in its tag; a deployment
 * waits until there is an image of that tag, so no definition names one that is not there.
 */
export class ContainerImageBuilder extends Construct {
  readonly #common: CommonConstructProps;
  readonly #repository: Repository;
  readonly #role: Role;
  readonly #log: LogGroup;
  readonly #starter: InlineFunction;
  readonly #project: CfnProject;
  readonly #sources = new Map<LaunchKind, Asset>();
  /** The image that the next one waits for. */
  #last: CustomResource | undefined;

  constructor(scope: Construct, id: string, { common }: { readonly common: CommonConstructProps }) {
    super(scope, id);
    this.#common = common;
    this.#repository = new Repository(this, 'Images', {
      imageScanOnPush: true,
      imageTagMutability: TagMutability.IMMUTABLE,
      removalPolicy: common.removalPolicy,
      emptyOnDelete: common.removalPolicy === RemovalPolicy.DESTROY,
      // Those of boxes that run, and a way back.
      lifecycleRules: [{ maxImageCount: 50 }],
    });
    const log = () => ({ retention: common.logRetention, removalPolicy: RemovalPolicy.DESTROY });
    this.#log = new LogGroup(this, 'Log', log());
    this.#role = this.makeRole();
    const role = new InlinePolicyRole(this, 'StarterRole', 'lambda.amazonaws.com');
    const logGroup = new LogGroup(this, 'StarterLog', log());
    logGroup.grantWrite(role);
    this.#starter = new InlineFunction(this, 'Starter', {
      description: 'Starts builds of images for CloudFormation, and tells it how they ended',
      code: Code.fromInline(IMAGE_BUILD_HANDLER),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      // As long as it may wait for the account to have room for another build.
      timeout: Duration.minutes(15),
      role,
      logGroup,
    });
    this.#project = this.makeProject();
  }

  /** May push to the one repository, read what its images are made of, and write its log. */
  private makeRole(): Role {
    const role = new InlinePolicyRole(this, 'Role', 'codebuild.amazonaws.com');
    grantPermission(role, {
      actions: [
        'ecr:BatchCheckLayerAvailability',
        'ecr:BatchGetImage',
        'ecr:CompleteLayerUpload',
        'ecr:DescribeImages',
        'ecr:InitiateLayerUpload',
        'ecr:PutImage',
        'ecr:UploadLayerPart',
      ],
      on: [this.#repository.repositoryArn],
    });
    grantPermission(role, {
      actions: ['ecr:GetAuthorizationToken'],
      on: ['*'],
      because: 'A registry is asked to let in whoever the account is; the call knows no resource.',
    });
    grantPermission(role, {
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      on: [`${this.#log.logGroupArn}:*`],
      because: 'CodeBuild names a stream of the log by its build.',
    });
    return role;
  }

  /** Returns the sources that images of a kind are built of, which the one project may read. */
  private sourceOf(kind: LaunchKind, folder: string): Asset {
    const known = this.#sources.get(kind);
    if (known) return known;
    const asset = new Asset(this, `${kind}-source`, { path: folder });
    grantPermission(this.#role, {
      actions: ['s3:GetObject', 's3:GetObjectVersion'],
      on: [asset.bucket.arnForObjects(asset.s3ObjectKey)],
    });
    this.#sources.set(kind, asset);
    return asset;
  }

  /** Makes the project that builds every image; each build names its own source. */
  private makeProject(): CfnProject {
    const project = new CfnProject(this, 'Project', {
      description: 'Builds the images of the stack, one after the other',
      serviceRole: this.#role.roleArn,
      source: { type: 'NO_SOURCE', buildSpec: JSON.stringify(BUILD_SPEC) },
      artifacts: { type: 'NO_ARTIFACTS' },
      environment: {
        ...IMAGE_PLATFORMS[this.#common.architecture].codeBuild,
        computeType: 'BUILD_GENERAL1_SMALL',
        privilegedMode: true,
        environmentVariables: [{ name: 'REPOSITORY', value: this.#repository.repositoryUri }],
      },
      logsConfig: { cloudWatchLogs: { status: 'ENABLED', groupName: this.#log.logGroupName } },
      timeoutInMinutes: PATIENCE.build,
    });
    Validations.of(project).acknowledge(
      {
        id: 'AwsSolutions-CB3',
        reason:
          'Docker builds images in it. What it builds is the source of this stack, and its role may push to one repository.',
      },
      { id: 'AwsSolutions-CB4', reason: 'It has no artifacts that a key could encrypt.' },
    );
    grantPermission(this.#starter.role as Role, { actions: ['codebuild:StartBuild'], on: [project.attrArn] });
    new Rule(this, 'Ended', {
      description: 'A build of an image has ended',
      eventPattern: {
        source: ['aws.codebuild'],
        detailType: ['CodeBuild Build State Change'],
        detail: {
          'project-name': [project.ref],
          'build-status': ['SUCCEEDED', 'FAILED', 'FAULT', 'STOPPED', 'TIMED_OUT'],
        },
      },
      targets: [new LambdaFunction(this.#starter)],
    });
    return project;
  }

  /** The image that is made of these, under a tag that says so. */
  build(name: string, { kind, folder, dockerfile, agentClis, buildArgs = {} }: ImageToBuild): BuiltImage {
    const source = this.sourceOf(kind, folder);
    const { architecture } = this.#common;
    const options = [
      `--platform ${IMAGE_PLATFORMS[architecture].platform.platform}`,
      ...Object.entries(buildArgs).map(([argument, value]) => `--build-arg ${argument}=${value}`),
    ].join(' ');
    const tag = `${name}-${sha256([source.assetHash, dockerfile, agentClis, options].join('\n')).slice(0, 16)}`;
    const when = new CustomResource(this, `${name}-image`, {
      resourceType: 'Custom::AssayImage',
      serviceToken: this.#starter.functionArn,
      serviceTimeout: Duration.minutes(PATIENCE.resource),
      properties: {
        Project: this.#project.ref,
        Source: `${source.s3BucketName}/${source.s3ObjectKey}`,
        Tag: tag,
        Dockerfile: dockerfile,
        AgentClis: agentClis,
        Options: options,
      },
    });
    // Its permissions, and the rule that hears of its end, come first.
    when.node.addDependency(
      this.#role,
      this.#starter,
      ...this.node.children.filter((each) => each instanceof Rule),
    );
    // One after the other: a new account may run one build at a time.
    if (this.#last) when.node.addDependency(this.#last);
    this.#last = when;
    return { repository: this.#repository, tag, when };
  }
}
