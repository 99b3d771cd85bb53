/** Chain check and fold, as a process reads a record: a month with an entry every fifteen minutes, 2,880 events. */

import { sha256Hex, verifyEd25519 } from '../src/host/keys.ts';
import { verifyLogbook } from '../src/logbook/verify.ts';
import { composeTwoDayLogbook } from '../test/logbook/sample-logbook.ts';
import { measureQuickestMs, type Result, resultWithBar, resultWithoutBar } from './measure.ts';

/** Milliseconds without signatures, and with them beside it. */
export async function measureLogbook(): Promise<readonly Result[]> {
  const text = composeTwoDayLogbook();
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
    if (verified.badEntry !== null) throw new Error(verified.badEntry.message);
    if (verified.checkpoint.state === null) throw new Error('the events were not folded');
  };
  const plain = await measureQuickestMs(7, () => check(null));
  const signed = await measureQuickestMs(3, () => check(verifyEd25519));
  return [
    resultWithBar('fold-2880', plain, 'ms', '<=', 50),
    resultWithoutBar('fold-2880-with-signatures', signed, 'ms'),
  ];
}
