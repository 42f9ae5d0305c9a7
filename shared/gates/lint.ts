import * as z from 'zod';
import { inert, runOn } from './command.ts';
import type { Gate } from './gate.ts';

const settings = { lint: z.boolean().optional(), lint_command: z.string().trim().min(1).optional() };
const Settings = z.object(settings);

/** The project's linter. */
export const lint: Gate = {
  name: 'lint',
  flag: 'lint',
  on: true,
  required: true,
  condition: 'always',
  settings,
  run: (context, input) => {
    const command = context.command ?? Settings.parse(input).lint_command;
    return command ? runOn(context, context.tree, command) : Promise.resolve(inert('no lint_command is set'));
  },
};
