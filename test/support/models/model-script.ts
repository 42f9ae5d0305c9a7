/** One turn of the model: a file, a command, or its last words. */
export type ScriptStep =
  | { readonly write: string; readonly text: string }
  | { readonly run: string }
  | { readonly say: string };

export const DEFAULT_SCRIPT: readonly ScriptStep[] = [
  { write: 'hello.txt', text: 'hello from the model\n' },
  { run: 'ls > listing.txt && id -u' },
  { say: 'Done: wrote hello.txt and listed the folder.' },
];

/** A call of a tool that the client has offered. `free` is the text of a tool that takes no JSON. */
export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly freeText?: string;
}

const patchOf = (path: string, text: string): string =>
  `*** Begin Patch\n*** Add File: ${path}\n${text.replace(/^(?=.)/gm, '+')}*** End Patch\n`;
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** How tools of the known clients are called, by their names. The first that the client offers is taken. */
const WRITERS: Readonly<Record<string, (path: string, text: string) => Omit<ToolCall, 'name'>>> = {
  Write: (path, text) => ({ args: { file_path: path, content: text } }),
  write_file: (path, text) => ({ args: { file_path: path, content: text } }),
  write: (path, text) => ({ args: { filePath: path, path, content: text } }),
  // Codex takes it as it is, or as `input`; OpenCode wants it in a field of another name.
  apply_patch: (path, text) => {
    const patch = patchOf(path, text);
    return { args: { input: patch, patchText: patch }, freeText: patch };
  },
};
const described = (command: string): Omit<ToolCall, 'name'> => ({
  args: { command, description: 'scripted' },
});
const SHELLS: Readonly<Record<string, (command: string) => Omit<ToolCall, 'name'>>> = {
  Bash: described,
  run_shell_command: described,
  bash: described,
  exec: (command) => {
    const program = `const result = await tools.exec_command({ cmd: ${JSON.stringify(command)} }); text(result);`;
    return { args: { input: program }, freeText: program };
  },
  exec_command: (command) => ({ args: { cmd: command } }),
  shell_command: (command) => ({ args: { command } }),
  shell: (command) => ({ args: { command: ['bash', '-c', command] } }),
};

function firstOf<T>(table: Readonly<Record<string, T>>, offered: readonly string[]): [string, T] | null {
  return Object.entries(table).find(([name]) => offered.includes(name)) ?? null;
}

function shellCall(command: string, offered: readonly string[]): ToolCall | null {
  const shell = firstOf(SHELLS, offered);
  return shell && { name: shell[0], ...shell[1](command) };
}

/** A step in the words of the client's own tools; null when it offers none that would do. */
export function buildToolCall(step: ScriptStep, offered: readonly string[]): ToolCall | null {
  if ('say' in step) return null;
  if ('run' in step) return shellCall(step.run, offered);
  // Qwen Code writes to absolute paths only, which a script does not know.
  const writer = offered.includes('notebook_edit') ? null : firstOf(WRITERS, offered);
  if (writer) return { name: writer[0], ...writer[1](step.write, step.text) };
  const folder = `mkdir -p "$(dirname ${quoted(step.write)})"`;
  return shellCall(`${folder} && printf %s ${quoted(step.text)} > ${quoted(step.write)}`, offered);
}
