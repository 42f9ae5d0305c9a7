import { requestWithRetries } from '../../shared/api/http-client.ts';

/**
 * Digest of the image that this container was made from; null outside of ECS. Tools come with the image, so what one image's tools
 * said is not what another's would say.
 * @see https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-metadata-endpoint-v4.html
 */
export async function readImageDigest(environment: NodeJS.ProcessEnv = process.env): Promise<string | null> {
  const address = environment['ECS_CONTAINER_METADATA_URI_V4'];
  if (!address) return null;
  const { body } = await requestWithRetries(address, { method: 'GET' }, { timeoutMs: 2_000, maxTries: 2 });
  const { ImageID } = JSON.parse(body.toString('utf8')) as { readonly ImageID?: unknown };
  if (typeof ImageID !== 'string') throw new Error('the metadata of this container name no image');
  return ImageID;
}
