/** Tells open pages that the world changed (server-sent events); they fetch themselves what is new. */
import type { ServerResponse } from 'node:http';
import { pageLimits } from './page-limits.ts';

/** Each change is one message without content: what a page may see depends on who speaks there. */
export function openEventStream(
  response: ServerResponse,
  subscribe: (onChange: () => void) => () => void,
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write('retry: 1000\n\n');
  const stop = subscribe(() => response.write('data: changed\n\n'));
  const keepAlive = setInterval(() => response.write(': still here\n\n'), pageLimits.streamKeepAliveMs);
  keepAlive.unref();
  response.on('close', () => {
    clearInterval(keepAlive);
    stop();
  });
}
