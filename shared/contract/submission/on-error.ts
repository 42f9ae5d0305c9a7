import * as z from 'zod';

/** What happens when nobody could judge: `hold` asks a person, `block` refuses, `allow` goes on without the opinion. */
export const ON_ERROR_ACTIONS = ['hold', 'block', 'allow'] as const;
/** The setting of a check; absent: `hold` where it is required, and nothing where it is not. */
export const OnErrorSetting = z.enum(ON_ERROR_ACTIONS).optional();
export type OnErrorAction = (typeof ON_ERROR_ACTIONS)[number];
