import * as z from 'zod';

/** What happens when nobody could judge: `hold` asks a person, `block` refuses, `allow` goes on without the opinion. */
export const CHECK_ERROR_ACTIONS = ['hold', 'block', 'allow'] as const;
/** The setting of a check; absent: `hold` where it is required, and nothing where it is not. */
export const CheckOnErrorSetting = z.enum(CHECK_ERROR_ACTIONS).optional();
export type CheckErrorAction = (typeof CHECK_ERROR_ACTIONS)[number];
