/** `ferrybot doctor` asks a controller whether it requires a key, through the adapter that the registry loads. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { findAdapter, loadAdapters } from '../../src/engines/registry.ts';
import { irisConfig } from '../support/iris-config.ts';

it.each([
  ['requires a key', { provider: 'github' }, true],
  ['is open to everybody', { provider: '' }, false],
])('a controller that %s says so', async (_, answer, expected) => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cluster = irisConfig({ controller: `http://127.0.0.1:${port}` });
  const adapter = findAdapter(await loadAdapters(), cluster);
  expect(await adapter.requiresKey?.(cluster)).toEqual({ kind: 'known', value: expected });
  server.close();
});
