/** Server-sent events at `/_playground/events`: one line for every change, so that open pages update themselves. */

import type { ServerResponse } from 'node:http';
import { playground } from '../limits/limits.ts';
import type { Bus, WorldEvent } from '../world/bus.ts';

export type LiveEvents = {
  /** Keeps the answer open until the browser leaves or the server closes; 503 when there are too many listeners. */
  readonly open: (response: ServerResponse) => void;
  readonly close: () => void;
};

/** The part of a change that any visitor may see: its place, without texts. */
export function startLiveEvents(bus: Bus): LiveEvents {
  const listeners = new Set<ServerResponse>();
  const stop = bus.subscribe((event) => {
    const line = `data: ${JSON.stringify(summary(event))}\n\n`;
    for (const response of listeners) response.write(line);
  });
  return {
    open: (response) => {
      if (listeners.size >= playground.eventListeners) {
        response.writeHead(503, { 'content-type': 'text/plain' }).end('Too many pages listen already.\n');
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.write('retry: 1000\n\n');
      listeners.add(response);
      response.on('close', () => listeners.delete(response));
    },
    close: () => {
      stop();
      for (const response of listeners) response.end();
      listeners.clear();
    },
  };
}

function summary(event: WorldEvent): object {
  const { issue, pull_request: pull } = event.payload;
  return {
    type: event.type,
    action: event.action,
    repo_id: event.repoId,
    number: threadNumber(issue) ?? threadNumber(pull),
    run_id: event.runId,
    at_ms: event.atMs,
  };
}

function threadNumber(thread: unknown): number | null {
  if (typeof thread !== 'object' || thread === null || !('number' in thread)) return null;
  return typeof thread.number === 'number' ? thread.number : null;
}
