import * as z from 'zod';

/** A share from 0 to 1. */
export const ShareSetting = z.number().min(0).max(1);
/** A time limit in seconds. */
export const SecondsSetting = z.number().int().min(1).max(7_200);
