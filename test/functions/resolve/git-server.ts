import { spawn } from 'node:child_process';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GitServer {
  /** Base URL, with a slash. */
  readonly url: string;
  readonly requests: string[];
  stop(): Promise<void>;
}

export async function serve(listener: RequestListener): Promise<GitServer> {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Git's own server of a folder of repositories, `git http-backend`, behind HTTP. */
export const gitServer = (root: string, config: Record<string, string> = {}): Promise<GitServer> =>
  serve((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const settings = Object.entries({ 'safe.directory': '*', ...config });
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        HOME: '/nonexistent',
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        PATH_INFO: path,
        QUERY_STRING: query,
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        CONTENT_LENGTH: request.headers['content-length'] ?? '',
        GIT_CONFIG_COUNT: String(settings.length),
        ...Object.fromEntries(
          settings.flatMap(([key, value], index) => [
            [`GIT_CONFIG_KEY_${index}`, key],
            [`GIT_CONFIG_VALUE_${index}`, value],
          ]),
        ),
      },
    });
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('close', () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      for (const line of answer.toString('latin1', 0, end).split('\r\n')) {
        const [name = '', value = ''] = line.split(/:\s*/, 2);
        if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.end(answer.subarray(end + 4));
    });
  });
