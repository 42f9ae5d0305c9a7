import pc from 'picocolors';

/** A stream for text. `columns` is undefined if nothing limits the width. */
export interface OutputStream {
  write(text: string): void;
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  /** Lines of the terminal; undefined: not a terminal, or unknown. */
  readonly rows?: number | undefined;
}

/** The environment and streams of a command; tests replace them. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Reads all of standard input as text. */
  readStdin(): Promise<string>;
  /** Shows a text in a pager; false: there is no pager. Absent: output is never paged. */
  page?(text: string): Promise<boolean>;
}

const createOutput = (stream: NodeJS.WriteStream): OutputStream => ({
  write: (text) => {
    stream.write(text);
  },
  get isTTY() {
    return stream.isTTY === true;
  },
  get columns() {
    return stream.isTTY ? stream.columns : undefined;
  },
  get rows() {
    return stream.isTTY ? stream.rows : undefined;
  },
});

/** Creates the CommandIo of this process. */
export const createProcessIo = (): CommandIo => ({
  env: process.env,
  cwd: process.cwd(),
  stdout: createOutput(process.stdout),
  stderr: createOutput(process.stderr),
  readStdin: async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString('utf8');
  },
});

export type TerminalColors = ReturnType<typeof pc.createColors>;

/** Chooses the colours of a stream: NO_COLOR and `--no-color` come first, then FORCE_COLOR, then whether it is a terminal. */
export function chooseTerminalColors(
  stream: Pick<OutputStream, 'isTTY'>,
  env: Readonly<Record<string, string | undefined>>,
  wanted = true,
): TerminalColors {
  const forced = env['FORCE_COLOR'];
  if (!wanted || env['NO_COLOR']) return pc.createColors(false);
  if (forced !== undefined && forced !== '' && forced !== '0' && forced !== 'false')
    return pc.createColors(true);
  return pc.createColors(stream.isTTY && env['TERM'] !== 'dumb' && forced !== '0' && forced !== 'false');
}
