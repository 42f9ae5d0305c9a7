import * as z from 'zod';
import { inert, runOn } from '../command.ts';
import type { Gate } from '../gate.ts';

const settings = { tests: z.boolean().optional(), test_command: z.string().trim().min(1).optional() };
const Settings = z.object(settings);

/** The project's tests. */
export const tests: Gate = {
  name: 'tests',
  flag: 'tests',
  on: false,
  required: true,
  condition: 'code_changed',
  settings,
  run: (context, input) => {
    const command = context.command ?? Settings.parse(input).test_command;
    return command ? runOn(context, context.tree, command) : Promise.resolve(inert('no test_command is set'));
  },
};
