/** A job's log on standard input, as the two verbs that take one read it. */

import type { Readable } from 'node:stream';
import { fail, ok, type Result } from '../../domain/result.ts';
import { completeUtf8Length } from '../../host/utf8-boundary.ts';
import { finishLog, type LogFacts, NO_LOG_FACTS, readLogBytes } from '../../watch/log-facts.ts';

/** What the whole log says, in bounded memory; the error is for people, where standard input cannot be read. */
export async function readLogInput(stream: Readable): Promise<Result<LogFacts, string>> {
  try {
    return ok(await factsOf(stream));
  } catch (error) {
    // A folder, or a descriptor that is closed: the system says which.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return fail(`standard input cannot be read: ${error.message}`);
  }
}

async function factsOf(stream: Readable): Promise<LogFacts> {
  let facts = NO_LOG_FACTS;
  let divided: Uint8Array = new Uint8Array();
  for await (const chunk of stream) {
    // Nobody has set an encoding: what comes is bytes.
    const piece = chunk as Uint8Array;
    const bytes = divided.length === 0 ? piece : Buffer.concat([divided, piece]);
    const whole = completeUtf8Length(bytes);
    facts = readLogBytes(facts, bytes.subarray(0, whole));
    divided = bytes.slice(whole);
  }
  return finishLog(readLogBytes(facts, divided));
}
