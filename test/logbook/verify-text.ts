// Verification for tests: with the lab's keys and real signatures unless a test overrides them.

import type { LogbookEvent } from '../../src/domain/logbook/define.ts';
import { sha256Hex, verifyEd25519 } from '../../src/host/keys.ts';
import type { Anchor } from '../../src/logbook/chain.ts';
import { type Verification, type VerifyInput, verifyLogbook } from '../../src/logbook/verify.ts';
import { keys } from './sample-logbook.ts';

export function verify(text: string, changes: Partial<VerifyInput> = {}): Verification {
  return verifyLogbook({
    text,
    run: null,
    keys,
    anchor: null,
    undecodableLine: null,
    hash: sha256Hex,
    verifySignature: verifyEd25519,
    ...changes,
  });
}

export function lastAnchor(events: readonly LogbookEvent[]): Anchor {
  const last = events.at(-1);
  if (last === undefined) throw new Error('no events');
  return { seq: last.seq, hash: last.hash };
}
