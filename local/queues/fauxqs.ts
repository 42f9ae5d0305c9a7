import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { QUEUE_DATABASE_FILE } from './database-check.ts';
import type { AwsChunkedDecoder } from './s3/body-check.ts';
import type { ObjectFiles, StoredObject } from './s3/object-files.ts';

/**
 * The parts of fauxqs that its public entry keeps to itself. That entry can listen on all interfaces only,
 * and keeps objects in files that a kill can tear; put together here, the same parts listen on loopback and
 * keep whole files. The version is pinned exactly, because these are internals.
 */
export interface SqsMessage {
  readonly body: string;
  messageGroupId?: string | undefined;
}
export interface SqsQueue {
  readonly url: string;
  readonly inflightMessages: ReadonlyMap<string, { readonly message: SqsMessage }>;
  /** Visible messages, the oldest first. */
  readonly messages: SqsMessage[];
  isFifo(): boolean;
  /** Makes messages visible whose visibility timeout or delay has ended. */
  processTimers(): void;
  enqueue: (message: SqsMessage) => void;
  dequeue: (most: number, ...rest: readonly unknown[]) => unknown[];
  persistence: SqsPersistence | undefined;
  setAttributes(attributes: Readonly<Record<string, string>>): void;
  changeVisibility(receiptHandle: string, seconds: number): void;
}

export interface SqsStore {
  /** Empty: queue URLs have the host of the request. */
  host: string;
  region: string;
  persistence: SqsPersistence | undefined;
  createQueue(name: string, url: string, arn: string, attributes: Readonly<Record<string, string>>): SqsQueue;
  deleteQueue(url: string): boolean;
  getQueueByName(name: string): SqsQueue | undefined;
  allQueues(): Iterable<SqsQueue>;
}

export interface SqsPersistence {
  readonly db: import('node:sqlite').DatabaseSync;
  loadSqsAndSns(sqs: SqsStore, sns: unknown): void;
  updateMessageReady(messageId: string): void;
  close(): void;
}

export interface S3Store {
  persistence: ObjectFiles | undefined;
  createBucket(name: string): void;
  hasBucket(name: string): boolean;
  headObject(bucket: string, key: string): { readonly etag: string };
  restoreObject(bucket: string, object: StoredObject): void;
}

/** The used part of the Fastify application that fauxqs builds. */
export interface FauxqsApp {
  /** Handles the requests of a server that is not its own. */
  readonly routing: RequestListener;
  ready(): PromiseLike<unknown>;
  close(): Promise<unknown>;
  addHook(name: 'onRequest', hook: (request: FauxqsRequest, reply: FauxqsReply) => Promise<void>): void;
  addHook(
    name: 'preHandler',
    hook: (request: FauxqsRequest, reply: FauxqsReply, done: () => void) => void,
  ): void;
  removeContentTypeParser(type: string): void;
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: FauxqsRequest, body: Buffer) => Promise<unknown>,
  ): void;
}
export interface FauxqsRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: unknown;
  /** A Buffer for S3. */
  readonly body: unknown;
}
export interface FauxqsReply {
  status(status: number): FauxqsReply;
  header(name: string, value: string): FauxqsReply;
  send(body: string): FauxqsReply;
}

interface Parts {
  buildApp(options: {
    logger: boolean;
    defaultRegion: string;
    stores: { sqsStore: SqsStore; snsStore: unknown; s3Store: S3Store };
  }): FauxqsApp;
  readonly SqsStore: new () => SqsStore;
  readonly SnsStore: new () => unknown;
  readonly S3Store: new () => S3Store;
  readonly PersistenceManager: new (directory: string) => SqsPersistence;
  readonly decodeAwsChunked: AwsChunkedDecoder;
}

const PARTS = ['buildApp', 'SqsStore', 'SnsStore', 'S3Store', 'PersistenceManager', 'decodeAwsChunked'];

async function loadParts(): Promise<Parts> {
  const manifest = findPackageJSON('fauxqs', import.meta.url);
  if (manifest === undefined) throw new Error('the package fauxqs is not installed');
  const part = (file: string): Promise<object> =>
    import(pathToFileURL(join(dirname(manifest), 'dist', file)).href);
  const files = [
    'app.js',
    'sqs/sqsStore.js',
    'sns/snsStore.js',
    's3/s3Store.js',
    's3/chunkedEncoding.js',
    'persistence.js',
  ];
  const parts: object = Object.assign({}, ...(await Promise.all(files.map(part))));
  for (const name of PARTS) {
    if (!(name in parts)) throw new Error(`fauxqs has no ${name}: is it another version?`);
  }
  return parts as Parts;
}

export interface Fauxqs {
  readonly app: FauxqsApp;
  readonly sqs: SqsStore;
  readonly s3: S3Store;
  readonly decodeChunked: AwsChunkedDecoder;
  /** The queues are loaded from it. Nothing is written until it is given to the store. */
  readonly persistence: SqsPersistence;
}

/**
 * Opens the database with a rollback journal in place of SQLite's write-ahead log. So all acknowledged
 * messages are in one file, and a file that was cut is detected by its length. Each write is handed to the
 * operating system before it is acknowledged, and does not wait for the disk.
 */
function open({ PersistenceManager }: Parts, queueDirectory: string): SqsPersistence {
  const persistence = new PersistenceManager(queueDirectory);
  persistence.db.exec('PRAGMA synchronous = OFF; PRAGMA journal_mode = TRUNCATE');
  return persistence;
}

/** Creates an empty database atomically, so that a kill never leaves one that is too short. */
function create(parts: Parts, queueDirectory: string): void {
  const fresh = join(queueDirectory, 'fresh');
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh);
  open(parts, fresh).close();
  renameSync(join(fresh, QUEUE_DATABASE_FILE), join(queueDirectory, QUEUE_DATABASE_FILE));
  rmSync(fresh, { recursive: true });
}

/** Assembles fauxqs, with the queues and messages in the directory. */
export async function openFauxqs(queueDirectory: string, defaultRegion: string): Promise<Fauxqs> {
  const parts = await loadParts();
  const sqs = new parts.SqsStore();
  const sns = new parts.SnsStore();
  const s3 = new parts.S3Store();
  if (!existsSync(join(queueDirectory, QUEUE_DATABASE_FILE))) create(parts, queueDirectory);
  const persistence = open(parts, queueDirectory);
  persistence.loadSqsAndSns(sqs, sns);
  const stores = { sqsStore: sqs, snsStore: sns, s3Store: s3 };
  const app = parts.buildApp({ logger: false, defaultRegion, stores });
  sqs.host = '';
  return { app, sqs, s3, decodeChunked: parts.decodeAwsChunked, persistence };
}
