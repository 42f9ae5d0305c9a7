import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { CpuArchitecture } from 'aws-cdk-lib/aws-ecs';
import { Architecture } from 'aws-cdk-lib/aws-lambda';
import type { ImageArchitecture } from './images.ts';

/** Names of an architecture in each service, and the machine of CodeBuild that builds images for it without emulation. */
interface ImagePlatform {
  readonly platform: Platform;
  readonly ecs: CpuArchitecture;
  readonly lambda: Architecture;
  readonly codeBuild: { readonly type: string; readonly image: string };
}

export const IMAGE_PLATFORMS: Readonly<Record<ImageArchitecture, ImagePlatform>> = {
  arm64: {
    platform: Platform.LINUX_ARM64,
    ecs: CpuArchitecture.ARM64,
    lambda: Architecture.ARM_64,
    codeBuild: { type: 'ARM_CONTAINER', image: 'aws/codebuild/amazonlinux-aarch64-standard:3.0' },
  },
  x86_64: {
    platform: Platform.LINUX_AMD64,
    ecs: CpuArchitecture.X86_64,
    lambda: Architecture.X86_64,
    codeBuild: { type: 'LINUX_CONTAINER', image: 'aws/codebuild/amazonlinux-x86_64-standard:5.0' },
  },
};
