/** A dashboard with the part of Ray's Jobs API that looks at jobs, over a list that a test keeps. */

import { once } from 'node:events';
import { createServer } from 'node:http';

export type JobsApi = { readonly address: string; readonly close: () => Promise<void> };

/** Serves these jobs (JobDetails of the Jobs API), read anew for each question. */
export async function serveJobs(
  readJobs: () => Promise<readonly { readonly submission_id?: string }[]>,
): Promise<JobsApi> {
  const server = createServer(async ({ url = '' }, response) => {
    const id = /^\/api\/jobs\/(.+)$/.exec(url)?.[1];
    const job = id === undefined ? undefined : (await readJobs()).find((one) => one.submission_id === id);
    if (url === '/api/version') response.end('{"ray_version":"2.60.0","session_name":"session_1"}');
    else if (job !== undefined) response.end(JSON.stringify(job));
    else response.writeHead(404, { 'content-type': 'text/plain' }).end(`Job ${id} does not exist`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a server without a port');
  return {
    address: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
