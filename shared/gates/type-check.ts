import * as z from 'zod';
import { inert, runOn } from './command.ts';
import type { Gate } from './gate.ts';

const settings = {
  type_check: z.boolean().optional(),
  type_check_command: z.string().trim().min(1).optional(),
};
const Settings = z.object(settings);

/** The project's type checker. */
export const typeCheck: Gate = {
  name: 'type_check',
  flag: 'type_check',
  on: false,
  required: true,
  condition: 'code_changed',
  settings,
  run: (context, input) => {
    const command = context.command ?? Settings.parse(input).type_check_command;
    return command
      ? runOn(context, context.tree, command)
      : Promise.resolve(inert('no type_check_command is set'));
  },
};
