import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { InjectedFaults } from '../../../local/shared-types.ts';
import type { AttemptView, TaskView } from '../../../shared/api/task-schemas.ts';

interface Ready {
  readonly url: string;
  readonly token: string;
  readonly control_url: string;
  readonly table: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly records_dir: string;
  readonly data_dir: string;
  readonly pid: number;
}

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** Milliseconds after which a wait gives up: not a measure, only so that a hang ends with its reason. */
const PATIENCE = 60_000;

/** The whole stack as a process of its own, as `assay up` starts it. */
export class Stack {
  readonly dataDir: string;
  #child: ChildProcess | null = null;
  #ready: Ready | null = null;
  #log: string[] = [];

  readonly #env: Readonly<Record<string, string>>;
  readonly #flags: readonly string[];
  readonly #settings: Readonly<Record<string, string>>;

  private constructor(
    dataDir: string,
    env: Readonly<Record<string, string>>,
    flags: readonly string[],
    settings: Readonly<Record<string, string>>,
  ) {
    this.dataDir = dataDir;
    this.#env = env;
    this.#flags = flags;
    this.#settings = settings;
  }

  /** `env` comes on top of this process's own; `flags` are for Node; `settings` are those of a deployment. */
  static async start(
    env: Readonly<Record<string, string>> = {},
    flags: readonly string[] = [],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Stack> {
    const stack = new Stack(await mkdtemp(join(tmpdir(), 'assay-system-')), env, flags, settings);
    await stack.restart();
    return stack;
  }

  get ready(): Ready {
    if (!this.#ready) throw new Error('the stack is not running');
    return this.#ready;
  }

  get log(): string {
    return this.#log.join('\n');
  }

  #chosen = (): string[] =>
    Object.entries(this.#settings).flatMap(([name, value]) => ['--setting', `${name}=${value}`]);

  /** Starts the stack on its data, again after `kill` or `stop`. */
  async restart(): Promise<void> {
    const child = spawn(
      process.execPath,
      [...this.#flags, 'local/main.ts', '--data', this.dataDir, '--json', ...this.#chosen()],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...this.#env },
      },
    );
    this.#child = child;
    createInterface({ input: child.stderr }).on('line', (line) => this.#log.push(line));
    const lines = createInterface({ input: child.stdout });
    const line = await Promise.race([
      once(lines, 'line'),
      once(child, 'exit').then(([code]) =>
        Promise.reject(new Error(`the stack ended with ${code}\n${this.log}`)),
      ),
    ]);
    this.#ready = JSON.parse(String((line as unknown[])[0])) as Ready;
  }

  /** As a power cut would: no handler runs. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    this.#ready = null;
  }

  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const answer = await fetch(`${this.ready.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.ready.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: (text === '' ? {} : JSON.parse(text)) as T,
    };
  }

  async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(`${this.ready.control_url}/_assay${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.ready.secret_access_key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    const text = await answer.text();
    return text === '' ? null : (JSON.parse(text) as unknown);
  }

  faults(faults: Partial<InjectedFaults>): Promise<unknown> {
    return this.control('POST', '/faults', faults);
  }

  /** Runs the reconciler now instead of at its next minute. */
  reconcile(): Promise<unknown> {
    return this.control('POST', '/schedules/fire');
  }

  async submit(task: Record<string, unknown>): Promise<TaskView> {
    const answer = await this.call<TaskView>('POST', '/tasks', task);
    if (answer.status !== 201) throw new Error(`submit: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async task(id: string): Promise<TaskView> {
    return (await this.call<TaskView>('GET', `/tasks/${id}`)).body;
  }

  async attempts(id: string): Promise<AttemptView[]> {
    return (await this.call<{ attempts: AttemptView[] }>('GET', `/tasks/${id}/attempts`)).body.attempts;
  }

  /** The task once `holds` is true of it; gives up after `patience` milliseconds. */
  async until(
    id: string,
    what: string,
    holds: (task: TaskView) => boolean,
    patience = PATIENCE,
  ): Promise<TaskView> {
    const deadline = Date.now() + patience;
    for (;;) {
      const task = await this.task(id);
      if (holds(task)) return task;
      if (Date.now() > deadline)
        throw new Error(
          `task ${id} never came to: ${what}\n${JSON.stringify(task, null, 2)}\n${JSON.stringify(await this.attempts(id), null, 2)}\n${this.#log.slice(-40).join('\n')}`,
        );
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }

  ended(id: string, patience?: number): Promise<TaskView> {
    return this.until(
      id,
      'its end',
      (task) => ['done', 'failed', 'cancelled'].includes(task.status),
      patience,
    );
  }

  /** The task once an outside agent may claim it: the platform knows what it starts from. */
  claimable(id: string): Promise<TaskView> {
    return this.until(id, 'its base', (task) => task.base_commit !== null);
  }

  /** All rows of a record table, after everything that was written has been delivered. */
  async records<T = Record<string, unknown>>(table: string): Promise<T[]> {
    await this.control('POST', '/drain');
    const folder = join(this.ready.records_dir, `table=${table}`);
    const files = await readdir(folder, { recursive: true }).catch(() => []);
    const texts = await Promise.all(
      files.filter((file) => file.endsWith('.jsonl')).map((file) => readFile(join(folder, file), 'utf8')),
    );
    return texts.flatMap((text) =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as T),
    );
  }
}
