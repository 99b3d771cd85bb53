/** Converts requests and answers between node:http and the fetch-style API. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { playground } from '../limits/limits.ts';
import { requestAddress } from './api-host.ts';

/** The request with its whole body, or null when the body exceeds the limit. */
export async function toFetchRequest(
  incoming: IncomingMessage,
  origin: string,
  limitBytes: number = playground.requestBytes,
): Promise<Request | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > limitBytes) return null;
    chunks.push(bytes);
  }
  const method = incoming.method ?? 'GET';
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (typeof value === 'string') headers.set(name, value);
    else for (const one of value ?? []) headers.append(name, one);
  }
  const bare = method === 'GET' || method === 'HEAD';
  return new Request(requestAddress(incoming.url, incoming.headers.host, origin), {
    method,
    headers,
    ...(bare || size === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
}

export async function sendResponse(outgoing: ServerResponse, response: Response): Promise<void> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const headers: Record<string, string> = Object.fromEntries(response.headers);
  if (response.status !== 204 && response.status !== 304) headers['content-length'] = `${bytes.length}`;
  outgoing.writeHead(response.status, headers);
  outgoing.end(bytes);
}
