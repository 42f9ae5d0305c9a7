import * as z from 'zod';
import { MIDDLEWARE_NAMES } from '../agents/middleware-names.ts';

/** A chain as a project or a task names it; empty: none. */
export const MiddlewareChain = z
  .array(z.enum(MIDDLEWARE_NAMES))
  .max(MIDDLEWARE_NAMES.length)
  .superRefine((chain, context) => {
    chain.forEach((name, index) => {
      if (chain.indexOf(name) !== index)
        context.addIssue({ code: 'custom', path: [index], message: `has ${name} twice` });
    });
  });
