/** A process that serves bare repositories in a folder over HTTP, so that a measurement does not count the work of GitHub. */

import { createServer } from 'node:http';
import { join } from 'node:path';
import { serveGit } from '../packages/playground/git/smart-http/http-backend.ts';

const folder = process.argv[2] ?? '.';
const server = createServer((request, response) => {
  serveGit(request, response, {
    directoryOf: (_, repo) => join(folder, `${repo}.git`),
    authorize: async () => 'ok',
    onPush: async () => undefined,
  }).catch((error: unknown) => console.error(error));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : '');
});
process.stdin.on('end', () => process.exit()).resume();
