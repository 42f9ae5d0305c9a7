import type { WorkspaceLayout } from './adapter.ts';

/** Seconds that a CLI waits for an answer about a call. */
export const TOOL_HOOK_TIMEOUT_S = 30;

/**
 * For CLIs whose hooks are programs: hands the question on to the door of the box, and prints what is answered there. Exit code 2 is, with all
 * of them, that the call is not to be made.
 */
const PROGRAM = `import { text } from 'node:stream/consumers';

try {
  const body = await text(process.stdin);
  const answer = await fetch(process.argv[2], { method: 'POST', body, signal: AbortSignal.timeout(${(TOOL_HOOK_TIMEOUT_S - 5) * 1_000}) });
  process.stdout.write(await answer.text());
} catch (error) {
  console.error('the platform gave no answer: ' + error.message);
  process.exitCode = 2;
}
`;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The line that a CLI runs before and after each call, and the file that must be there for it. */
export function buildToolHookCommand(
  { hookFolder }: Pick<WorkspaceLayout, 'hookFolder'>,
  url: string,
): { readonly command: string; readonly files: Readonly<Record<string, string>> } {
  const path = `${hookFolder}/ask.mjs`;
  return { command: [process.execPath, path, url].map(quoted).join(' '), files: { [path]: PROGRAM } };
}
