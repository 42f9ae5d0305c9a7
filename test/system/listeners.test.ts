import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Stack } from './support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start();
});
afterAll(() => stack.stop());

/** The processes of a tree, from the parent of each. */
function processTree(root: number): readonly number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
        return [[Number(name), Number(fields[1])] as const];
      } catch {
        return [];
      }
    });
  const childrenOf = (pid: number): readonly number[] =>
    parents.filter(([, parent]) => parent === pid).flatMap(([child]) => [child, ...childrenOf(child)]);
  return [root, ...childrenOf(root)];
}

/** Addresses and ports on which the processes listen, whatever made them. */
function openPorts(pids: readonly number[]): readonly { readonly address: string; readonly port: number }[] {
  const sockets = new Set(
    pids.flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
        } catch {
          return [];
        }
      }),
    ),
  );
  return ['tcp', 'tcp6'].flatMap((file) =>
    readFileSync(`/proc/net/${file}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.has(`socket:[${inode}]`))
      .map(([, local = '']) => ({
        address: local.split(':')[0] ?? '',
        port: Number.parseInt(local.split(':')[1] ?? '', 16),
      })),
  );
}

interface Attack {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
const send = (port: number, { method = 'POST', path = '/', headers = {}, body = '{}' }: Attack) =>
  new Promise<number>((answered, failed) => {
    const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      response.resume();
      answered(response.statusCode ?? 0);
    });
    sent.on('error', failed);
    sent.end(method === 'GET' ? undefined : body);
  });

const LOOPBACK_HEX = '0100007F';
const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' };
const signedWith = (key: string) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=${key}/20200101/us-east-1/x/aws4_request, SignedHeaders=host, Signature=none`,
});

describe.skipIf(process.platform !== 'linux')('every port of the embedded stack', () => {
  const ports = () => openPorts(processTree(stack.ready.pid));

  test('is on loopback', () => {
    expect(ports().length).toBeGreaterThanOrEqual(5);
    expect(new Set(ports().map(({ address }) => address))).toEqual(new Set([LOOPBACK_HEX]));
  });

  test('refuses pages of other sites, whatever secret they have', async () => {
    const secrets = [
      { authorization: `Bearer ${stack.ready.token}` },
      { authorization: `Bearer ${stack.ready.secret_access_key}` },
      signedWith(stack.ready.access_key_id),
    ];
    const sites: readonly Readonly<Record<string, string>>[] = [
      { host: 'evil.example' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ];
    for (const { port } of ports())
      for (const secret of secrets)
        for (const site of sites)
          for (const path of ['/', '/tasks', '/_assay/drain'])
            expect([port, await send(port, { path, headers: { ...secret, ...site } })]).toEqual([port, 403]);
  });

  test('answers no process without a secret, except for the page and public routes', async () => {
    const { table } = stack.ready;
    const target = (operation: string) => ({ ...JSON_TYPE, 'x-amz-target': operation });
    const attacks: readonly Attack[] = [
      { headers: target('DynamoDB_20120810.ListTables') },
      { headers: target('DynamoDB_20120810.Scan'), body: JSON.stringify({ TableName: table }) },
      { headers: target('AmazonSQS.ListQueues') },
      { body: 'Action=ListQueues', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      { headers: target('AWSStepFunctions.ListStateMachines') },
      { headers: target('AmazonEC2ContainerServiceV20141113.RunTask') },
      { headers: target('AWSEvents.PutEvents') },
      { path: '/2015-03-31/functions/any/invocations' },
      { path: '/_assay/drain' },
      { path: '/_assay/counters', method: 'GET' },
      { path: '/bucket/key', method: 'PUT' },
      { path: '/bucket?list-type=2', method: 'GET' },
      { path: '/tasks' },
      { path: '/v1/messages' },
    ];
    for (const { port } of ports())
      for (const attack of attacks)
        for (const headers of [
          {},
          signedWith('embedded'),
          { authorization: 'Bearer guessed' },
          // A presigned URL tells the access key id.
          signedWith(stack.ready.access_key_id),
          { authorization: `Bearer ${stack.ready.access_key_id}` },
        ]) {
          const status = await send(port, { ...attack, headers: { ...attack.headers, ...headers } });
          expect([port, attack.path, status]).toEqual([
            port,
            attack.path,
            expect.toSatisfy((s) => s >= 400 && s < 500),
          ]);
        }
  });
});
