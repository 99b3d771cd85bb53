/** The two ways to a Ray job's log from its beginning: the whole of it in one answer, and the socket that follows it. */

import { limits } from '../../../domain/limits.ts';
import { authorization, type RestSettings, scrub } from './ask.ts';
import { type OpenedLog, openLog } from './open-log.ts';

/** Time for one chunk of a log: a job that never pauses, or a connection that drips, gives what it gave by then. */
export const RAY_LOG_CHUNK_MS = 10_000;

/**
 * `quiet`: nothing came for a while, more may come; `end`: there is no more, and with `isWhole` what came is certainly
 * the log as it stood when it was asked for.
 */
export type LogPiece =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'quiet' }
  | { readonly kind: 'end'; readonly isWhole: boolean }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly message: string };

export type LogSource = {
  readonly kind: 'whole' | 'tail';
  readonly next: () => Promise<LogPiece>;
  /** Nobody asks for a while: it must not keep the process alive. */
  readonly rest: () => void;
  readonly close: () => void;
};

/** The whole log in one answer, whichever the head gives (open-log.ts). It is decoded as it arrives and never collected. */
export function wholeLog(settings: RestSettings, jobId: string): LogSource {
  let open: Extract<OpenedLog, { kind: 'open' }> | null = null;
  const next = async (): Promise<LogPiece> => {
    open?.answer.hold(true);
    if (open === null) {
      const opened = await openLog(settings, jobId);
      if (opened.kind !== 'open') return opened;
      open = opened;
    }
    const { answer, decoder } = open;
    const untilMs = settings.elapsed() + RAY_LOG_CHUNK_MS;
    try {
      // Blanks may stand around the text, as many as a server likes.
      while (settings.elapsed() < untilMs) {
        const { value, done } = await answer.body.next();
        const bytes = done === true ? decoder.end() : decoder.read(value);
        if (decoder.state() === 'other') return { kind: 'failed', message: 'this is no log of Ray' };
        if (bytes.length > 0) return { kind: 'bytes', bytes };
        if (done !== true) continue;
        if (decoder.state() === 'whole') return { kind: 'end', isWhole: true };
        return { kind: 'failed', message: 'the log broke off on its way' };
      }
      return { kind: 'quiet' };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { kind: 'failed', message: scrub(settings, `the log broke off on its way: ${error.message}`) };
    }
  };
  return { kind: 'whole', next, rest: () => open?.answer.hold(false), close: () => open?.answer.close() };
}

/** `WS /api/jobs/{id}/logs/tail`: a few lines a frame from the beginning, then whatever the job says, until it ends. */
export function tailedLog(settings: RestSettings, jobId: string): LogSource {
  const frames: Uint8Array[] = [];
  let held = 0;
  const end: { reason: string | null; hasCome: boolean } = { reason: null, hasCome: false };
  let waitMs = settings.tailFirstMs;
  let trigger = (): void => undefined;
  const url = new URL(`api/jobs/${jobId}/logs/tail`, settings.address);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = settings.openTail(
    { url, headers: authorization(settings), timeoutMs: settings.requestTimeoutMs },
    {
      onText: (bytes) => {
        frames.push(bytes);
        held += bytes.length;
        if (held > limits.logChunkBytesMax) socket.pause();
        trigger();
      },
      onClosed: (reason) => {
        end.reason = reason;
        end.hasCome = true;
        trigger();
      },
    },
  );
  const take = (): LogPiece | null => {
    const bytes = frames.shift();
    if (bytes !== undefined) {
      held -= bytes.length;
      return { kind: 'bytes', bytes };
    }
    if (!end.hasCome) return null;
    if (end.reason === null) return { kind: 'end', isWhole: false };
    return { kind: 'failed', message: scrub(settings, end.reason) };
  };
  const next = async (): Promise<LogPiece> => {
    socket.hold(true);
    const there = take();
    if (there !== null) return there;
    socket.resume();
    await quietOr(waitMs, (resolve) => {
      trigger = resolve;
    });
    waitMs = settings.tailQuietMs;
    return take() ?? { kind: 'quiet' };
  };
  return { kind: 'tail', next, rest: () => socket.hold(false), close: () => socket.close() };
}

async function quietOr(waitMs: number, onTrigger: (resolve: () => void) => void): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    onTrigger(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
