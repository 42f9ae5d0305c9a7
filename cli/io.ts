import pc from 'picocolors';

/** Where text goes. `columns` is undefined when nothing limits the width. */
export interface OutputStream {
  write(text: string): void;
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  /** Lines of the terminal; undefined when it is none, or does not say. */
  readonly rows?: number | undefined;
}

/** All that a command touches of its process, so that tests can hand in their own. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** All of standard input, as text. */
  readStdin(): Promise<string>;
  /** Shows a text page by page; false: there is nothing to do so. Absent: nobody reads here. */
  page?(text: string): Promise<boolean>;
}

const output = (stream: NodeJS.WriteStream): OutputStream => ({
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

/** The Io of this process. */
export const createProcessIo = (): CommandIo => ({
  env: process.env,
  cwd: process.cwd(),
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  readStdin: async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString('utf8');
  },
});

export type Colors = ReturnType<typeof pc.createColors>;

/** Colours for one stream: NO_COLOR (any value) and `--no-color` win, then FORCE_COLOR, then whether it is a terminal. */
export function chooseColors(
  stream: Pick<OutputStream, 'isTTY'>,
  env: Readonly<Record<string, string | undefined>>,
  wanted = true,
): Colors {
  const forced = env['FORCE_COLOR'];
  if (!wanted || env['NO_COLOR']) return pc.createColors(false);
  if (forced !== undefined && forced !== '' && forced !== '0' && forced !== 'false')
    return pc.createColors(true);
  return pc.createColors(stream.isTTY && env['TERM'] !== 'dumb' && forced !== '0' && forced !== 'false');
}
