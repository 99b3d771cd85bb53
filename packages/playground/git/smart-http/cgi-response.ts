/** Passes a CGI program's output (RFC 3875: header lines, an empty line, the body) on to an HTTP response. */

import type { ServerResponse } from 'node:http';
import { git as limits } from '../../limits/limits.ts';

type CgiHead = { readonly status: number; readonly headers: readonly (readonly [string, string])[] };

/**
 * Streams the output to the response with backpressure, and leaves the response open. After the client disconnects, the
 * rest is still read, so that the program can end. False when the output had no complete header.
 */
export async function forwardCgiOutput(output: AsyncIterable<Uint8Array>, response: ServerResponse): Promise<boolean> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of output) {
    if (head === null) {
      await write(response, chunk);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = /\r?\n\r?\n/.exec(head.toString('latin1'));
    if (end === null && head.length > limits.cgiHeaderBytes) return false;
    if (end === null) continue;
    const { status, headers } = parseCgiHead(head.toString('latin1', 0, end.index));
    if (!response.destroyed) response.writeHead(status, headers.flat());
    await write(response, head.subarray(end.index + end[0].length));
    head = null;
  }
  return head === null;
}

/** Status (200 without a `Status` line) and the other header lines. */
function parseCgiHead(text: string): CgiHead {
  const lines = text.split(/\r?\n/).map((line): readonly [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  const status = lines.find(([name]) => name.toLowerCase() === 'status');
  return {
    status: status === undefined ? 200 : Number.parseInt(status[1], 10),
    headers: lines.filter(([name]) => name !== '' && name.toLowerCase() !== 'status'),
  };
}

async function write(response: ServerResponse, chunk: Uint8Array): Promise<void> {
  if (chunk.length === 0 || response.destroyed || response.write(chunk)) return;
  await new Promise<void>((resume) => {
    const settle = (): void => {
      response.off('drain', settle).off('close', settle);
      resume();
    };
    response.once('drain', settle).once('close', settle);
  });
}
