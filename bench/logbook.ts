/** Chain check and fold, as a process reads a record: a month with an entry every fifteen minutes, 2,880 events. */

import { sha256Hex, verifyEd25519 } from '../src/host/keys.ts';
import { verifyLogbook } from '../src/logbook/verify.ts';
import { logbookOfTwoDays } from '../test/logbook/sample-logbook.ts';
import { against, quickestMs, type Result, reported } from './measure.ts';

/** Milliseconds without signatures, and with them beside it. */
export async function measureLogbook(): Promise<readonly Result[]> {
  const text = logbookOfTwoDays();
  const check = (verifySignature: typeof verifyEd25519 | null): void => {
    const verified = verifyLogbook({
      text,
      run: null,
      keys: null,
      anchor: null,
      undecodableLine: null,
      hash: sha256Hex,
      verifySignature,
    });
    if (verified.bad !== null) throw new Error(verified.bad.message);
    if (verified.checkpoint.state === null) throw new Error('the events were not folded');
  };
  const plain = await quickestMs(7, () => check(null));
  const signed = await quickestMs(3, () => check(verifyEd25519));
  return [against('fold-2880', plain, 'ms', '<=', 50), reported('fold-2880-with-signatures', signed, 'ms')];
}
