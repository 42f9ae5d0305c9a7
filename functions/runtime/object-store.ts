import { S3Client } from '@aws-sdk/client-s3';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { readRequiredEnv } from '../../shared/store/env.ts';
import { ObjectStore } from '../../shared/store/object-store.ts';

/** Checksums only where S3 requires them: a presigned upload by a box could not know one in advance. */
export const createObjectStore = (): ObjectStore =>
  new ObjectStore(
    new S3Client({
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
    readRequiredEnv(FUNCTION_ENV_NAMES.bucket),
    process.env[FUNCTION_ENV_NAMES.lockedBucket],
  );
