/** The WebSocket on which Ray follows a log: frames as they come, held back while nobody reads. */

import { WebSocket } from 'ws';

/** A frame of the log's socket is ten lines; a longer one is one huge line, which the whole log gives in pieces. */
const RAY_TAIL_FRAME_BYTES_MAX = 1024 * 1024;

/** What a socket tells; `closed` comes once, last. */
export type TailEvents = {
  readonly onText: (bytes: Uint8Array) => void;
  /** `reason` is null for an ordinary close. */
  readonly onClosed: (reason: string | null) => void;
};

export type TailSocket = {
  /** Takes no more frames from the connection until it is resumed; the head waits with us. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Whether an open socket keeps the process alive. */
  readonly hold: (isHeld: boolean) => void;
  readonly close: () => void;
};

export type TailOpener = (
  request: {
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
  },
  events: TailEvents,
) => TailSocket;

/**
 * Opens one over the package `ws`: Node's own WebSocket cannot be paused, so a job that prints faster than it is read
 * would fill the memory. A frame that is larger than the limit (one very long line) closes it with a reason.
 */
export function openTailSocket(
  { url, headers, timeoutMs }: Parameters<TailOpener>[0],
  events: TailEvents,
): TailSocket {
  const socket = new WebSocket(url, {
    headers: { ...headers },
    handshakeTimeout: timeoutMs,
    maxPayload: RAY_TAIL_FRAME_BYTES_MAX,
    perMessageDeflate: false,
    followRedirects: false,
  });
  let reason: string | null = null;
  let hold = (_isHeld: boolean): void => undefined;
  socket.on('upgrade', (response) => {
    hold = (isHeld) => {
      if (isHeld) response.socket.ref();
      else response.socket.unref();
    };
  });
  socket.on('message', (data) => events.onText(bytesOf(data)));
  // `close` follows every error.
  socket.on('error', (error) => {
    reason = error.message;
  });
  socket.on('close', (code) => events.onClosed(reason ?? (code === 1000 ? null : `closed with ${code}`)));
  return {
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    hold: (isHeld) => hold(isHeld),
    close: () => socket.terminate(),
  };
}

function bytesOf(data: Buffer | ArrayBuffer | readonly Buffer[]): Uint8Array {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return Buffer.isBuffer(data) ? data : Buffer.concat(data);
}
