/**
 * The recorded controller behind a connection that loses, duplicates and delays requests, and a server for
 * it.
 */

import type { Http, HttpRequest, HttpResult } from '../../src/engines/shared/http.ts';
import type { RecordedIris, RpcAnswer } from './recorded-iris.ts';
import { type Served, serveHttp } from './serve-http.ts';

/** What happens to one request instead of a normal response. */
export type WireFault =
  | 'lost-before'
  | 'lost-after'
  | 'doubled'
  | 'late'
  | 'bad-gateway-before'
  | 'bad-gateway-after'
  | 'shutdown'
  | 'restart-after'
  | 'restore-before'
  | 'restore-after';

/** `late`: requests that arrive only when `deliverLate` is called. */
export type Wire = { readonly http: Http; readonly deliverLate: () => void };

/** `fault`: what happens to a request of that method; null: a normal response. */
export function createWire(iris: RecordedIris, fault: (method: string) => WireFault | null = () => null): Wire {
  const late: (() => void)[] = [];
  const http = async (request: HttpRequest): Promise<HttpResult> => {
    const method = request.url.pathname.slice(1);
    const reach = (): RpcAnswer => iris.answer(method, String(request.body ?? ''), request.headers['authorization']);
    const broken: HttpResult = { kind: 'failed', sent: true, message: 'connection closed before message completed' };
    const happens = fault(method);
    switch (happens) {
      case null:
        return toHttpResult(reach());
      case 'lost-before':
        return broken;
      case 'lost-after':
        reach();
        return broken;
      case 'doubled':
        reach();
        return toHttpResult(reach());
      case 'late':
        late.push(reach);
        return broken;
      case 'bad-gateway-before':
        return toHttpResult({ status: 502, body: '<html>Bad Gateway</html>' });
      case 'bad-gateway-after':
        reach();
        return toHttpResult({ status: 502, body: '<html>Bad Gateway</html>' });
      case 'shutdown':
        iris.linger();
        return toHttpResult(reach());
      case 'restart-after':
        reach();
        iris.restart();
        return broken;
      case 'restore-before':
        iris.restore();
        return toHttpResult(reach());
      case 'restore-after':
        reach();
        iris.restore();
        return broken;
    }
  };
  return {
    http,
    deliverLate: () => {
      for (const arrive of late.splice(0)) arrive();
    },
  };
}

function toHttpResult({ status, body }: RpcAnswer): HttpResult {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    kind: 'answer',
    answer: {
      status,
      contentType: typeof body === 'string' ? 'text/html' : 'application/json',
      body: pieces(text),
      hold: () => undefined,
      close: () => undefined,
    },
  };
}

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Serves it on a new port. */
export async function serveIris(iris: RecordedIris): Promise<Served> {
  return serveHttp((request, response) => {
    const collect = async (): Promise<void> => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      if (request.method !== 'POST') {
        response.writeHead(405).end();
        return;
      }
      if (request.headers['content-type'] !== 'application/json') {
        response.writeHead(415).end();
        return;
      }
      const { authorization } = request.headers;
      const path = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1);
      const { status, body } = iris.answer(path, Buffer.concat(parts).toString('utf8'), authorization);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    };
    collect().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
}
