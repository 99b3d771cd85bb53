/** Serves the page over the sample API on a free port. */
import { createServer } from 'node:http';
import { startLiveEvents } from '../../http/live-events.ts';
import { createPages } from '../../pages/pages.ts';
import { createSampleApi, type SampleApi } from './sample-api.ts';
import * as sample from './sample-data.ts';

export type SampleSite = { readonly baseUrl: string; readonly api: SampleApi; readonly close: () => Promise<void> };

export async function openSampleSite(options: { readonly hostileText?: string } = {}): Promise<SampleSite> {
  const api = createSampleApi(options.hostileText);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const baseUrl = `http://127.0.0.1:${address.port}`;
  const pages = createPages({
    fetch: api.fetch,
    baseUrl,
    homeRepository: 'lab/marin',
    jobSummary: () => '### Launched\n\n| job | cluster |\n|---|---|\n| 4711 | local |',
    jobLog: (id) => (id === 601 ? sample.log.replaceAll(sample.hostile, options.hostileText ?? sample.hostile) : null),
    glance: () => ({
      nowMs: Date.parse('2026-11-21T06:30:00Z'),
      botRequests: 23,
      botContentWrites: 6,
      nearest: { contentMinute: 1, contentHour: 6, requestsHour: { used: 23, limit: 5000 } },
      deliveries: 11,
      deliveriesFailed: 1,
    }),
  });
  const live = startLiveEvents(api.bus);
  server.on('request', (request, response) => {
    if (request.url === '/_playground/events') return live.open(response);
    pages(request, response).then(
      (answered) => answered || response.writeHead(404).end('not a page'),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  const close = async (): Promise<void> => {
    live.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { baseUrl, api, close };
}
