import type { ProtectedFile } from './schema.ts';

/** Was it judged otherwise than it will be delivered? */
export const isPutBack = ({ used }: Pick<ProtectedFile, 'used'>): boolean => used !== 'patch';
