/** What a build does. Variables come from the project (REPOSITORY) and from who starts it. */
export const BUILD_SPEC = {
  version: '0.2',
  phases: {
    build: {
      commands: [
        // One shell for all of it: where the image is there already, a deployment that goes back, nothing is to be done.
        [
          'set -eu',
          'registry=$(dirname "$REPOSITORY")',
          'if aws ecr describe-images --repository-name "$(basename "$REPOSITORY")" --image-ids "imageTag=$IMAGE_TAG" > /dev/null 2>&1; then exit 0; fi',
          // Docker Hub lets the shared addresses of CodeBuild fetch little; Amazon's copies have the same digests.
          'sed -i -E "s#^FROM ([a-z][a-z0-9-]*:)#FROM public.ecr.aws/docker/library/\\1#" "$DOCKERFILE"',
          'aws ecr get-login-password | docker login --username AWS --password-stdin "$registry"',
          'docker build $BUILD_OPTIONS --build-arg "AGENT_CLIS=$AGENT_CLIS" --file "$DOCKERFILE" --tag "$REPOSITORY:$IMAGE_TAG" .',
          'docker push "$REPOSITORY:$IMAGE_TAG"',
        ].join('\n'),
      ],
    },
  },
} as const;

/**
 * The function between CloudFormation and CodeBuild, as Lambda runs it; small enough to lie in the template. It starts a build that carries where CloudFormation waits
 * for an answer, and gives that answer when CodeBuild says how the build ended, however that was.
 */
export const IMAGE_BUILD_HANDLER = `
const { CodeBuildClient, StartBuildCommand } = require('@aws-sdk/client-codebuild');
/** What CodeBuild answers when the account has no room for another build, or is asked too often. */
const WAITS = /AccountLimitExceeded|TooManyRequests|Throttling/;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const answer = async (of, Status, Reason) => {
  const body = JSON.stringify({ Status, Reason, PhysicalResourceId: of.physical, StackId: of.stack, RequestId: of.request, LogicalResourceId: of.logical });
  const said = await fetch(of.url, { method: 'PUT', body, headers: { 'content-type': '' } });
  if (!said.ok) throw new Error('CloudFormation answers ' + said.status);
};
const start = async (input, context) => {
  const client = new CodeBuildClient({});
  for (;;)
    try {
      return await client.send(new StartBuildCommand(input));
    } catch (error) {
      if (!WAITS.test(error.name) || context.getRemainingTimeInMillis() < 60_000) throw error;
      await pause(20_000);
    }
};
exports.handler = async (event, context) => {
  if (event.source === 'aws.codebuild') {
    const { environment, logs } = event.detail['additional-information'];
    const { value } = environment['environment-variables'].find(({ name }) => name === 'ANSWER_TO') ?? {};
    // Somebody has started it by hand.
    if (!value) return;
    const status = event.detail['build-status'];
    await answer(JSON.parse(value), status === 'SUCCEEDED' ? 'SUCCESS' : 'FAILED', 'The build has ended with ' + status + ': ' + (logs?.['deep-link'] ?? ''));
    return;
  }
  const { Project, Source, Tag, Dockerfile, AgentClis, Options } = event.ResourceProperties;
  const of = { url: event.ResponseURL, stack: event.StackId, request: event.RequestId, logical: event.LogicalResourceId, physical: event.RequestType === 'Delete' ? event.PhysicalResourceId : Tag };
  // Images go by the repository's own rule: boxes may still run from this one.
  if (event.RequestType === 'Delete') return answer(of, 'SUCCESS', '');
  const variables = { IMAGE_TAG: Tag, DOCKERFILE: Dockerfile, AGENT_CLIS: AgentClis, BUILD_OPTIONS: Options, ANSWER_TO: JSON.stringify(of) };
  try {
    await start({
      projectName: Project,
      sourceTypeOverride: 'S3',
      sourceLocationOverride: Source,
      // CloudFormation's invocation may come twice.
      idempotencyToken: event.RequestId,
      environmentVariablesOverride: Object.entries(variables).map(([name, value]) => ({ name, value, type: 'PLAINTEXT' })),
    }, context);
  } catch (error) {
    await answer(of, 'FAILED', 'The build was not started: ' + error.message);
  }
};
`;
