import * as z from 'zod';
import { ToolchainImageName } from '../shared/contract/submission/toolchain-image.ts';

/** Toolchains that the boxes' images can be built on: a Dockerfile each in containers/images/. */
export const TOOLCHAINS = ['node', 'python', 'go', 'rust'] as const;

/** A digest and no tag: what runs is what was looked at. */
const PinnedImageReference = z
  .string()
  .regex(
    /^[a-z0-9.-]+(:\d+)?\/[a-z0-9._/-]+@sha256:[0-9a-f]{64}$/,
    'must be an image in a registry by its digest: <host>/<name>@sha256:<64 hex digits>',
  );

/** An image that Lambda can take: in ECR, in the region of the deployment, by its digest. */
const ECR_IMAGE =
  /^(?<account>\d{12})\.dkr\.ecr\.(?<region>[a-z0-9-]+)\.amazonaws\.com(\.cn)?\/(?<name>[a-z0-9._/-]+)@(?<digest>sha256:[0-9a-f]{64})$/;
export const EcrImage = z
  .string()
  .regex(
    ECR_IMAGE,
    'must be an image in ECR by its digest, <account>.dkr.ecr.<region>.amazonaws.com/<name>@sha256:<64 hex digits>: Lambda takes none from elsewhere. Copy it there, or leave this out and have it built',
  )
  .brand('EcrImage');
export type EcrImage = z.infer<typeof EcrImage>;

/** What the name of an image in ECR says. */
export const readEcrImage = (image: EcrImage) =>
  ECR_IMAGE.exec(image)?.groups as Readonly<Record<'account' | 'region' | 'name' | 'digest', string>>;

/** One of ours, which is built at deploy time, or both boxes' images as somebody has built them. */
const ToolchainImageSetting = z.union([
  z.enum(TOOLCHAINS),
  z.strictObject({ agent: PinnedImageReference, gates: PinnedImageReference }),
]);
export type ToolchainImageSetting = z.infer<typeof ToolchainImageSetting>;

export const ToolchainImagesSetting = z
  .record(ToolchainImageName, ToolchainImageSetting)
  .refine((images) => Object.keys(images).length <= 6, 'are more than 6');
export type ToolchainImagesSetting = z.infer<typeof ToolchainImagesSetting>;

/** Who builds those that are ours: Docker where the deployment runs, or CodeBuild in the account. */
export const IMAGE_BUILD_METHODS = ['docker', 'codebuild'] as const;
export type ImageBuildMethod = (typeof IMAGE_BUILD_METHODS)[number];

/** Machines that containers and the function that delivers run on; their images are built for the same. */
export const IMAGE_ARCHITECTURES = ['arm64', 'x86_64'] as const;
export type ImageArchitecture = (typeof IMAGE_ARCHITECTURES)[number];

/** An address that can stand in a shell command and in the configuration of a package manager as it is. */
const MirrorUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
  .regex(/^[\w.:/~%+-]+$/, 'must not have credentials, a query or other special characters');

/** Mirrors that images are built from, and that containers use too. */
export const PackageMirrors = z.strictObject({
  debian: MirrorUrl.optional(),
  npm: MirrorUrl.optional(),
  pip: MirrorUrl.optional(),
});
export type PackageMirrors = z.infer<typeof PackageMirrors>;

const MIRROR_ARGUMENTS = { debian: 'DEBIAN_MIRROR', npm: 'NPM_REGISTRY', pip: 'PIP_INDEX_URL' } as const;

/** Returns the build arguments of our Dockerfiles that name mirrors (containers/images/use-mirrors.sh). */
export const buildMirrorArguments = (mirrors: PackageMirrors): Record<string, string> =>
  Object.fromEntries(
    (Object.keys(MIRROR_ARGUMENTS) as (keyof typeof MIRROR_ARGUMENTS)[]).flatMap((name) => {
      const url = mirrors[name];
      return url === undefined ? [] : [[MIRROR_ARGUMENTS[name], url]];
    }),
  );
