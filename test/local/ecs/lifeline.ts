import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Notices the end of a process that is not our child: it connects here, and the connection ends with it. */
export async function lifeline() {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  const connection = once(server, 'connection').then(([socket]) => socket as Socket);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** JavaScript that connects the process which runs it. */
    source: `require('node:net').connect(${port}, '127.0.0.1');`,
    /** Resolves when a process has connected; `ended` of what it gives resolves when that process has ended. */
    connected: connection.then((socket) => ({
      ended: once(socket, 'close'),
      /** Ends the process, if nothing but the connection keeps it alive. */
      release: () => socket.destroy(),
    })),
    close: () => server.close(),
  };
}
