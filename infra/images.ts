import * as z from 'zod';
import { ImageName } from '../shared/task/image.ts';

/** Toolchains that the boxes' images can be built on: a Dockerfile each in containers/images/. */
export const TOOLCHAINS = ['node', 'python', 'go', 'rust'] as const;

/** A digest and no tag: what runs is what was looked at. */
export const ImageReference = z
  .string()
  .regex(
    /^[a-z0-9.-]+(:\d+)?\/[a-z0-9._/-]+@sha256:[0-9a-f]{64}$/,
    'must be an image in a registry by its digest: <host>/<name>@sha256:<64 hex digits>',
  );

/** One of ours, which is built at deploy time, or both boxes' images as somebody has built them. */
const Image = z.union([z.enum(TOOLCHAINS), z.strictObject({ agent: ImageReference, gates: ImageReference })]);
export type Image = z.infer<typeof Image>;

export const Images = z
  .record(ImageName, Image)
  .refine((images) => Object.keys(images).length <= 10, 'are more than 10');
export type Images = z.infer<typeof Images>;

/** Who builds those that are ours: Docker where the deployment runs, or CodeBuild in the account. */
export const IMAGE_BUILDS = ['docker', 'codebuild'] as const;
export type ImageBuild = (typeof IMAGE_BUILDS)[number];
