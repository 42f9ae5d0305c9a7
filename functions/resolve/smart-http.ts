import { candidateRefNames, type RepositoryRef } from '../../shared/contract/repository/base-ref.ts';
import {
  type RemoteRefsReader,
  RepositoryUnavailableError,
} from '../../shared/use-cases/cascade/resolve-base-commit.ts';
import type { HttpExchange, HttpExchangeResponse } from './http-exchange.ts';
import {
  DELIMITER_PACKET,
  FLUSH_PACKET,
  formatGitPacket,
  type GitPacket,
  parseGitPackets,
} from './pkt-line.ts';
import type { GitTransport } from './read-remote-files.ts';

const SERVICE = 'git-upload-pack';

/** Asks for refs as git does over HTTP: protocol 2, which answers with the asked ones only, or what older servers say by themselves. */
export const createRemoteRefsReader =
  (exchange: HttpExchange): RemoteRefsReader =>
  async (repository, ref, authorization) => {
    const greeting = await read(
      exchange,
      endpoint(repository, 'info/refs', `?service=${SERVICE}`),
      { method: 'GET', headers: headersFor(authorization) },
      'advertisement',
    );
    const lines = greeting.flatMap((each) => (typeof each === 'string' ? [] : [each.text]));
    const offered = lines.filter((line) => line !== `# service=${SERVICE}`);
    if (offered[0] !== 'version 2') return parseAdvertisedRefs(offered);
    const format = offered.find((line) => line.startsWith('object-format='));
    const command = [
      formatGitPacket('command=ls-refs'),
      ...(format ? [formatGitPacket(format)] : []),
      DELIMITER_PACKET,
      formatGitPacket('peel'),
      ...candidateRefNames(ref).map((name) => formatGitPacket(`ref-prefix ${name}`)),
      FLUSH_PACKET,
    ].join('');
    return parseListedRefs(
      await createHttpGitTransport(exchange)(repository, Buffer.from(command), authorization),
    );
  };

/** Requests of protocol 2 over HTTP. */
export const createHttpGitTransport =
  (exchange: HttpExchange): GitTransport =>
  (repository, body, authorization) =>
    read(
      exchange,
      endpoint(repository, SERVICE),
      {
        method: 'POST',
        headers: {
          ...headersFor(authorization),
          'content-type': `application/x-${SERVICE}-request`,
          accept: `application/x-${SERVICE}-result`,
        },
        body,
      },
      'result',
    );

const headersFor = (authorization: string | null): Record<string, string> => ({
  'user-agent': 'git/assay',
  'git-protocol': 'version=2',
  ...(authorization === null ? {} : { authorization }),
});

function endpoint(repository: string, path: string, query = ''): URL {
  const url = new URL(repository);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  url.search = query;
  return url;
}

async function read(
  exchange: HttpExchange,
  url: URL,
  question: Parameters<HttpExchange>[1],
  kind: 'advertisement' | 'result',
): Promise<GitPacket[]> {
  const reply = await exchange(url, question);
  const trouble = replyError(reply, url);
  if (trouble) throw trouble;
  if (reply.headers['content-type'] !== `application/x-${SERVICE}-${kind}`)
    throw new RepositoryUnavailableError(`${url.origin}${url.pathname} is not a git repository`, false);
  let answer: GitPacket[];
  try {
    answer = parseGitPackets(reply.body);
  } catch (error) {
    throw new RepositoryUnavailableError(
      `${url.host}: ${error instanceof Error ? error.message : String(error)}`,
      true,
    );
  }
  const refused = answer.find((each) => typeof each !== 'string' && each.text.startsWith('ERR '));
  if (refused && typeof refused !== 'string')
    throw new RepositoryUnavailableError(`${url.host} says: ${refused.text.slice(4, 504)}`, false);
  return answer;
}

function replyError({ status, headers }: HttpExchangeResponse, url: URL): RepositoryUnavailableError | null {
  if (status === 200) return null;
  if (status >= 300 && status < 400)
    return new RepositoryUnavailableError(
      `${url.host} redirects to ${String(headers['location']).slice(0, 500)}; name that address in the task`,
      false,
    );
  return new RepositoryUnavailableError(
    `${url.host} answers ${status}${status === 401 || status === 403 ? ': the repository is private, or there is none' : ''}`,
    status === 429 || status >= 500,
  );
}

const SPACE = ' ';

/** `<id> <name> [peeled:<id>] …` */
const parseListedRefs = (answer: readonly GitPacket[]): RepositoryRef[] =>
  answer.flatMap((each) => {
    if (typeof each === 'string') return [];
    const [id = '', name = '', ...attributes] = each.text.split(SPACE);
    const peeled = attributes.find((attribute) => attribute.startsWith('peeled:'))?.slice('peeled:'.length);
    return [{ id, name, ...(peeled === undefined ? {} : { peeled }) }];
  });

/** `<id> <name>`, the first with capabilities behind a zero byte; a tag's commit is a line of its own, as `<id> <name>^{}`. */
export function parseAdvertisedRefs(lines: readonly string[]): RepositoryRef[] {
  const refs = new Map<string, RepositoryRef>();
  for (const line of lines) {
    const [id = '', name = ''] = (line.split('\0', 1)[0] ?? '').split(SPACE);
    const tag = name.endsWith('^{}') ? refs.get(name.slice(0, -3)) : undefined;
    if (tag) refs.set(tag.name, { ...tag, peeled: id });
    else refs.set(name, { id, name });
  }
  return [...refs.values()];
}
