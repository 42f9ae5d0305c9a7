import { Logger } from '@aws-lambda-powertools/logger';

/** Structured logs, one JSON object per line; never bodies, never tokens. */
export const logger = new Logger({ serviceName: 'assay' });
