import type * as z from 'zod';
import { ROUTES, type RouteName } from '../shared/api/routes.ts';
import type { RouteRequestInput } from './client.ts';
import { type CommandRegistration, type CommandSpec, createCommandFactory } from './local-command.ts';
import type { CommandResultText } from './local-session.ts';
import { type ArgumentSpecs, defineOption, type OptionSpecs, type ParameterValues } from './parameters.ts';
import { createServerCommandSession, type ServerCommandSession } from './session.ts';

/** Defines a command that asks a server. */
export const defineServerCommand = createCommandFactory<ServerCommandSession>((command, io) =>
  createServerCommandSession(command, io),
);

/**
 * Defines a command that hands the user's model key or an assistant's requests to a server. It takes no address from the folder that it
 * runs in, unless {@link LOCAL_STACK_OPTION} asks for it.
 */
export const defineExplicitServerCommand = createCommandFactory<ServerCommandSession>((command, io) =>
  createServerCommandSession(command, io, 'on_request'),
);
export const LOCAL_STACK_OPTION = defineOption('--local', 'use the stack of `assay up` in this folder');

/** Notes how to list the next page, if the answer of a listing has one. */
export function printNextPageHint(session: ServerCommandSession, command: string, answer: unknown): void {
  const cursor = (answer as { readonly next_cursor?: string | null }).next_cursor;
  if (!session.json && typeof cursor === 'string') session.note(`More: assay ${command} --cursor ${cursor}`);
}

type Answer<Route extends RouteName> = z.output<(typeof ROUTES)[Route]['response']>;

interface RouteSpec<
  Route extends RouteName,
  Arguments extends ArgumentSpecs,
  Options extends OptionSpecs,
  Result,
> extends Omit<CommandSpec<Arguments, Options>, 'json'> {
  readonly route: Route;
  readonly request: (
    values: ParameterValues<Arguments> & ParameterValues<Options>,
    session: ServerCommandSession,
  ) => RouteRequestInput<(typeof ROUTES)[Route]> | Promise<RouteRequestInput<(typeof ROUTES)[Route]>>;
  /** What `--json` prints; absent: the answer of the route. */
  readonly result?: (
    answer: Answer<Route>,
    values: ParameterValues<Arguments> & ParameterValues<Options>,
  ) => Result;
  /** Absent: the schema of the answer. */
  readonly json?: CommandSpec<Arguments, Options>['json'];
  /** The result as text. */
  readonly view: (
    result: Result,
    session: ServerCommandSession,
    values: ParameterValues<Arguments> & ParameterValues<Options>,
    answer: Answer<Route>,
  ) => CommandResultText;
}

/** Defines a command that calls one route of the API and prints its answer: with `--json` as it is, else as text. */
export function defineRouteCommand<
  Route extends RouteName,
  Arguments extends ArgumentSpecs = Record<never, never>,
  Options extends OptionSpecs = Record<never, never>,
  Result = Answer<Route>,
>({
  route,
  request,
  result,
  view,
  json,
  ...spec
}: RouteSpec<Route, Arguments, Options, Result>): CommandRegistration {
  const schema = ROUTES[route].response.meta()?.id;
  return defineServerCommand<Arguments, Options>({
    ...spec,
    json: json ?? `\`--json\` prints a \`${schema}\`.`,
    run: async (session, values) => {
      // First: a command with wrong options needs no connection.
      const parameters = await request(values, session);
      const call = session.client()[route] as (given: typeof parameters) => Promise<Answer<Route>>;
      const answer = await call(parameters);
      const shown = result ? result(answer, values) : (answer as unknown as Result);
      session.show(shown, () => view(shown, session, values, answer));
      printNextPageHint(session, spec.name, answer);
      return undefined;
    },
  });
}
