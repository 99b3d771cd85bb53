/** A program at an address of this machine. */

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

export type Served = { readonly address: string; readonly close: () => Promise<void> };

/** Serves it over HTTP on a new port. */
export async function serveHttp(listener: RequestListener): Promise<Served> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = server.address();
  if (place === null || typeof place === 'string') throw new Error('a server without a port');
  return {
    address: `http://127.0.0.1:${place.port}`,
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
