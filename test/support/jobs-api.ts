/** A dashboard with the part of Ray's Jobs API that reads jobs, for a list that a test provides. */

import { type Served, serveHttp } from './serve-http.ts';

export type JobsApi = Served;

/** Serves these jobs (JobDetails of the Jobs API), read again for each request. */
export async function serveJobs(
  readJobs: () => Promise<readonly { readonly submission_id?: string }[]>,
): Promise<JobsApi> {
  return serveHttp(async ({ url = '' }, response) => {
    const id = /^\/api\/jobs\/(.+)$/.exec(url)?.[1];
    const job = id === undefined ? undefined : (await readJobs()).find((one) => one.submission_id === id);
    if (url === '/api/version') response.end('{"ray_version":"2.60.0","session_name":"session_1"}');
    else if (job !== undefined) response.end(JSON.stringify(job));
    else response.writeHead(404, { 'content-type': 'text/plain' }).end(`Job ${id} does not exist`);
  });
}
