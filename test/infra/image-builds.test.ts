import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { BUILD_SPEC, IMAGE_BUILD_HANDLER } from '../../infra/image-build-program.ts';
import { assemblyFolder, only, type Properties, policiesOf, synthesise, text } from './synthesise.ts';

const CONTEXT = { 'assay:imageBuild': 'codebuild', 'assay:images': '{"go":"go"}' };
const template = synthesise(CONTEXT);
const all = (type: string) => Object.entries(template.findResources(type));
const grantsOf = (prefix: string) =>
  policiesOf(template)
    .filter(({ id }) => id.startsWith(prefix))
    .flatMap(({ statements }) => statements)
    .flatMap(({ Action, Resource }) =>
      [Action]
        .flat()
        .flatMap((action: string) => [Resource].flat().map((each) => ({ action, on: text(each) }))),
    );

describe('images that the stack builds', () => {
  const images = all('Custom::AssayImage').map(([id, { Properties }]) => ({ id, ...Properties }));

  it('need no Docker: the deployment brings sources and no image', () => {
    const assets = JSON.parse(readFileSync(join(assemblyFolder(CONTEXT), 'Assay.assets.json'), 'utf8'));
    expect(Object.keys(assets.dockerImages ?? {})).toEqual([]);
    expect(images).toHaveLength(5);
  });

  it('are each waited for by the one box or function that names them, by a tag of what they are made of', () => {
    const named = [
      ...all('AWS::ECS::TaskDefinition').map(([, { Properties, DependsOn }]) => ({
        image: JSON.stringify(Properties.ContainerDefinitions[0].Image),
        DependsOn,
      })),
      ...all('AWS::Lambda::Function')
        .filter(([, { Properties }]) => Properties.Code.ImageUri)
        .map(([, { Properties, DependsOn }]) => ({
          image: JSON.stringify(Properties.Code.ImageUri),
          DependsOn,
        })),
    ];
    expect(named).toHaveLength(5);
    for (const { image, DependsOn } of named) {
      const [its, ...others] = images.filter(({ Tag }) => image.includes(`:${Tag}"`));
      expect(others).toEqual([]);
      expect(DependsOn).toContain(its?.id);
    }
    const other = synthesise({ ...CONTEXT, 'assay:agentClis': '["codex"]' });
    const tags = (of: typeof template) =>
      Object.values(of.findResources('Custom::AssayImage')).map(({ Properties }) => Properties.Tag as string);
    const changed = tags(other).filter((tag) => !tags(template).includes(tag));
    expect(changed.map((tag) => tag.replace(/-[0-9a-f]+$/, '')).toSorted()).toEqual(['agent', 'agent-go']);
  });

  it('come from a role that may push to its repository, read its sources, write its log, and nothing else', () => {
    const grants = grantsOf('ImageBuildsRole');
    expect(new Set(grants.filter(({ action }) => action.startsWith('ecr:')).map(({ on }) => on))).toEqual(
      new Set(['*', expect.stringMatching(/^<ImageBuildsImages\w+\.Arn>$/)]),
    );
    expect(grants.filter(({ on }) => on === '*').map(({ action }) => action)).toEqual([
      'ecr:GetAuthorizationToken',
    ]);
    for (const { action, on } of grants) {
      expect(action).toMatch(/^(ecr|s3|logs):/);
      if (action.startsWith('s3:')) expect(on).toMatch(/\/[0-9a-f]{64}\.zip$/);
      expect(action).not.toMatch(/Delete|Create(?!LogStream)|Policy/);
    }
    expect(new Set(grantsOf('ImageBuildsStarterRole').map(({ action }) => action))).toEqual(
      new Set(['codebuild:StartBuild', 'logs:CreateLogStream', 'logs:PutLogEvents']),
    );
  });

  it('are not rebuilt where they are there, and never under the tag of another', () => {
    expect(only(template, 'AWS::ECR::Repository').Properties['ImageTagMutability']).toBe('IMMUTABLE');
    const [command = ''] = BUILD_SPEC.phases.build.commands;
    expect(command.indexOf('describe-images')).toBeLessThan(command.indexOf('docker build'));
  });

  it('may be pulled by Lambda, and pushed by nobody from outside', () => {
    const { RepositoryPolicyText } = only(template, 'AWS::ECR::Repository').Properties;
    for (const { Principal, Action } of RepositoryPolicyText.Statement) {
      expect(Principal).toEqual({ Service: 'lambda.amazonaws.com' });
      for (const action of [Action].flat()) expect(action).toMatch(/:(BatchCheck|BatchGet|GetDownload)/);
    }
  });

  it('are built one after the other, because a new account may run one build at a time', () => {
    const resources = Object.entries(template.findResources('Custom::AssayImage'));
    const waitsFor = resources.map(
      ([id, { DependsOn }]) =>
        resources.filter(([other]) => other !== id && (DependsOn as string[]).includes(other)).length,
    );
    expect(waitsFor.toSorted()).toEqual([0, 1, 1, 1, 1]);
  });

  it('are none where Docker builds', () => {
    synthesise().resourceCountIs('AWS::CodeBuild::Project', 0);
  });
});

describe('the function between CloudFormation and CodeBuild', () => {
  const put = vi.fn(async (_url: string, _init: { body: string }) => ({ ok: true, status: 200 }));
  const start = vi.fn(async (_command: { input: Properties }) => ({}));
  const exported: { handler?: (event: unknown, context: unknown) => Promise<void> } = {};
  new Function('require', 'exports', 'fetch', 'setTimeout', IMAGE_BUILD_HANDLER)(
    () => ({
      CodeBuildClient: class {
        send = start;
      },
      StartBuildCommand: class {
        readonly input: unknown;
        constructor(input: unknown) {
          this.input = input;
        }
      },
    }),
    exported,
    put,
    (done: () => void) => done(),
  );
  /** Milliseconds that the function has left. */
  let left = 600_000;
  const context = { getRemainingTimeInMillis: () => left };
  const handler = (event: unknown) => exported.handler?.(event, context);
  const request = (RequestType: string) => ({
    RequestType,
    ResponseURL: 'https://answer.test/here',
    StackId: 'stack',
    RequestId: 'request-1',
    LogicalResourceId: 'image',
    PhysicalResourceId: 'agent-0',
    ResourceProperties: {
      Project: 'p',
      Source: 'assets/agent.zip',
      Tag: 'agent-1',
      Dockerfile: 'Dockerfile',
      AgentClis: 'claude',
    },
  });
  const said = () => put.mock.calls.map(([url, { body }]) => [url, JSON.parse(body)]);
  const ended = (status: string, variables: unknown) => ({
    source: 'aws.codebuild',
    detail: {
      'build-status': status,
      'additional-information': { environment: { 'environment-variables': variables } },
    },
  });

  it('starts a build that carries where the answer goes, and gives it when that has ended, well or not', async () => {
    await handler(request('Create'));
    expect(put).not.toHaveBeenCalled();
    const { environmentVariablesOverride, idempotencyToken, sourceLocationOverride } =
      start.mock.calls[0]?.[0].input ?? {};
    expect(sourceLocationOverride).toBe('assets/agent.zip');
    expect(idempotencyToken).toBe('request-1');
    for (const status of ['SUCCEEDED', 'FAULT']) await handler(ended(status, environmentVariablesOverride));
    const to = {
      PhysicalResourceId: 'agent-1',
      StackId: 'stack',
      RequestId: 'request-1',
      LogicalResourceId: 'image',
    };
    expect(said()).toEqual([
      ['https://answer.test/here', expect.objectContaining({ ...to, Status: 'SUCCESS' })],
      ['https://answer.test/here', expect.objectContaining({ ...to, Status: 'FAILED' })],
    ]);
  });

  it('waits while the account has no room for another build, as long as it has time', async () => {
    put.mockClear();
    start.mockClear();
    const full = Object.assign(new Error('limit'), { name: 'AccountLimitExceededException' });
    start.mockRejectedValueOnce(full).mockRejectedValueOnce(full);
    await handler(request('Create'));
    expect(start).toHaveBeenCalledTimes(3);
    expect(put).not.toHaveBeenCalled();
    left = 59_000;
    start.mockRejectedValueOnce(full);
    await handler(request('Create'));
    expect(said().map(([, { Status }]) => Status)).toEqual(['FAILED']);
    left = 600_000;
  });

  it('says at once that a build was not started, and that what is removed is gone', async () => {
    put.mockClear();
    start.mockRejectedValueOnce(new Error('too many builds'));
    await handler(request('Update'));
    await handler(request('Delete'));
    expect(said().map(([, { Status, PhysicalResourceId }]) => [Status, PhysicalResourceId])).toEqual([
      ['FAILED', 'agent-1'],
      ['SUCCESS', 'agent-0'],
    ]);
  });

  it('says nothing of a build that somebody has started by hand, and fits into the template', async () => {
    put.mockClear();
    await handler(ended('SUCCEEDED', []));
    expect(put).not.toHaveBeenCalled();
    expect(IMAGE_BUILD_HANDLER.length).toBeLessThan(4_096);
  });
});
