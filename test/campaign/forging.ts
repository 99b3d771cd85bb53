// The record as somebody reads and writes it who has stolen a key, or who has none.

import { branded, isInstant } from '../../src/domain/ids.ts';
import type { EventDraft, EventOf, LogbookEvent } from '../../src/domain/logbook/event.ts';
import { sha256Hex } from '../../src/host/hash.ts';
import { parseSigningKey } from '../../src/host/keys.ts';
import { composeAppend } from '../../src/logbook/compose.ts';
import { DEMO_KEYS } from '../support/demo-keys.ts';
import { eventsOf, logbookText } from '../support/play.ts';
import { pushLogbookText } from './logbook-files.ts';
import type { Scene } from './scene.ts';

/** Signs these drafts into a file and pushes it; nothing happens where the chain itself does not allow them. */
export async function forge(scene: Scene, file: string, drafts: readonly EventDraft[]): Promise<boolean> {
  const text = await logbookText(scene.lab, file);
  if (text === '' || drafts.length === 0) return false;
  const role = drafts[0]?.role === 'watch' ? 'watch' : 'control';
  const key = parseSigningKey(DEMO_KEYS[role].seed);
  if (!key.ok) throw new Error(key.error);
  const composed = composeAppend({ run: file, text, markdown: null }, drafts, {
    at: branded(scene.lab.clock.now(), isInstant),
    signers: { [role]: { keyId: `${role}-demo`, role, sign: key.value.sign } },
    keys: [],
    hash: sha256Hex,
  });
  if (!composed.ok) return false;
  const path = file === 'journal' ? 'journal/events.jsonl' : `runs/${file}/events.jsonl`;
  await pushLogbookText(scene, path, composed.value.text);
  return true;
}

export type Gated = EventOf<'gated'>;
export type Approved = EventOf<'approved'>;

/** Judged by the gates. */
export function isGated(event: LogbookEvent): event is Gated {
  return event.type === 'gated';
}

/** Approved by somebody. */
export function isApproved(event: LogbookEvent): event is Approved {
  return event.type === 'approved';
}

/** The run's events; none where somebody pushed what no reader understands. */
export async function readable(scene: Scene): Promise<readonly LogbookEvent[]> {
  try {
    return await eventsOf(scene.lab, scene.run);
  } catch {
    return [];
  }
}
