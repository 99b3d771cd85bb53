/** Ports that nobody listens on at the moment. */

import { once } from 'node:events';
import { createServer } from 'node:net';

/** All held at once, so that no two are the same. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const place = server.address();
    if (place === null || typeof place === 'string') throw new Error('a server without a port');
    return place.port;
  });
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
