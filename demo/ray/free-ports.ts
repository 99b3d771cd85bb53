/** Ports without a listener at the moment. */

import { once } from 'node:events';
import { createServer } from 'node:net';

/** The ports that already have a listener on the loopback. */
export async function takenPorts(ports: readonly number[]): Promise<readonly number[]> {
  const taken: number[] = [];
  for (const port of ports) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      // The port cannot be used, for any reason.
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (isFree) await once(server.close(), 'close');
    else taken.push(port);
  }
  return taken;
}

/** All are held at the same time, so that no two are equal. */
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
