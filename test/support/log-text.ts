/** Logs as text, as tests write and read them. */

import type { Engine, LogRead } from '../../src/domain/engine.ts';
import { type LogFacts, readLogBytes } from '../../src/watch/log-facts.ts';

/** Reads the next piece of a log. */
export function readLogText(facts: LogFacts, text: string): LogFacts {
  return readLogBytes(facts, new TextEncoder().encode(text));
}

type Chunk = Extract<LogRead, { kind: 'chunk' }>;
type ReadText = Exclude<LogRead, Chunk> | (Omit<Chunk, 'bytes'> & { readonly text: string });

/** A read of the engine's log, with its bytes as text. */
export async function readText(engine: Pick<Engine, 'readLog'>, jobId: string, offset: number): Promise<ReadText> {
  return withText(await engine.readLog(jobId, offset));
}

/** The same read with its bytes as text. */
export function withText(read: LogRead): ReadText {
  if (read.kind !== 'chunk') return read;
  const { bytes, ...rest } = read;
  return { ...rest, text: Buffer.from(bytes).toString('utf8') };
}
