// How an attacker with or without a stolen key reads and writes the record.

import type { EventDraft, EventOf, LogbookEvent } from '../../src/domain/logbook/define.ts';
import type { Role } from '../../src/domain/logbook/parts.ts';
import { brandAs, isInstant, isRunId } from '../../src/domain/values.ts';
import { parseSigningKey, sha256Hex } from '../../src/host/keys.ts';
import { composeAppend } from '../../src/logbook/append.ts';
import { canonicalize } from '../../src/logbook/chain.ts';
import { eventsPath } from '../../src/logbook/segments.ts';
import { verifyLogbook } from '../../src/logbook/verify.ts';
import { DEMO_KEYS } from '../support/demo-keys.ts';
import { logbookParts, logbookText, readEventsOf } from '../support/play.ts';
import { pushLogbookText } from './logbook-files.ts';
import type { Scene } from './scene.ts';

/** The lab, and a writer who pushes to its logbook. */
export type Pushing = Pick<Scene, 'lab' | 'ask' | 'deeds'>;

/** Signs these drafts into a file and pushes it; does nothing if the chain itself does not allow them. */
export async function forge(scene: Pushing, file: string, drafts: readonly EventDraft[]): Promise<boolean> {
  const text = await logbookText(scene.lab, file);
  const [first] = drafts;
  if (first === undefined || (text === '') !== (first.type === 'proposed')) return false;
  const role = first.role === 'watch' ? 'watch' : 'control';
  const key = parseSigningKey(DEMO_KEYS[role].seed);
  if (!key.ok) throw new Error(key.error);
  const standing = verifyLogbook({
    text,
    run: file,
    keys: null,
    anchor: null,
    undecodableLine: null,
    hash: sha256Hex,
    verifySignature: null,
  });
  if (text !== '' && standing.badEntry !== null) return false;
  const { head, checkpoint } = standing;
  const composed = composeAppend({ run: file, head, state: checkpoint.state }, drafts, {
    at: brandAs(scene.lab.clock.now(), isInstant),
    signers: { [role]: { keyId: `${role}-demo`, role, sign: key.value.sign } },
    keys: Object.entries(DEMO_KEYS).map(([name, one]) => ({
      id: `${name}-demo`,
      role: name as Role,
      public: one.public,
      from: '2026-01-01T00:00:00Z',
      until: '2036-01-01T00:00:00Z',
    })),
    hash: sha256Hex,
  });
  if (!composed.ok) return false;
  const lines = composed.value.lines.map((line) => `${line}\n`);
  await pushBehind(scene, file, lines.join(''));
  return true;
}

/**
 * Names a run in the journal, like an honest proposal before it is opened, because processes read the runs
 * named there.
 */
export async function forgeProposing(scene: Pushing, run: string): Promise<boolean> {
  // A damaged journal cannot be extended.
  const events = await readEventsOf(scene.lab, 'journal').catch(() => []);
  const begun = events.findLast(({ type }) => type === 'proposing');
  if (begun?.type !== 'proposing') return false;
  const data = { ...begun.data, run: brandAs(run, isRunId) };
  return forge(scene, 'journal', [{ type: 'proposing', role: 'control', data }]);
}

/** The signature of an entry: its role, its key id, and the key that really signs. */
export type Signature = { readonly role: string; readonly keyId: string; readonly seed: string };

/** A key that the lab never had. */
export const FOREIGN_SEED = Buffer.alloc(32, 99).toString('base64');

/** Adds one entry to a file regardless of permissions, if there is an entry to chain it to. */
export async function pushEntry(
  scene: Scene,
  file: string,
  entry: { readonly type: string; readonly data: unknown; readonly actor?: unknown },
  { role, keyId, seed }: Signature,
): Promise<boolean> {
  const text = await logbookText(scene.lab, file);
  const head = headOf(text);
  const key = parseSigningKey(seed);
  if (!key.ok) throw new Error(key.error);
  if (head === null) return false;
  const { seq, hash: prev } = head;
  const at = new Date(scene.lab.clock.now()).toISOString();
  const unsigned = { v: 1, run: file, seq: seq + 1, at, role, keyId, prev, ...entry };
  const hash = sha256Hex(canonicalize(unsigned as never));
  const sig = key.value.sign(`ferrybot.logbook.v1:${hash}`);
  const line = canonicalize({ ...unsigned, hash, sig } as never);
  await pushBehind(scene, file, `${line}\n`);
  return true;
}

function headOf(text: string): { readonly seq: number; readonly hash: string } | null {
  try {
    const { seq, hash } = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;
    return typeof seq === 'number' && typeof hash === 'string' ? { seq, hash } : null;
  } catch {
    // A pushed line is not an entry.
    return null;
  }
}

/** Appends lines to the last file of a run, or creates its first. */
async function pushBehind(scene: Pushing, run: string, lines: string): Promise<void> {
  const [path, text] = (await logbookParts(scene.lab, run)).at(-1) ?? [
    eventsPath(run === 'journal' ? run : `runs/2026/11/${run}`),
    '',
  ];
  await pushLogbookText(scene, path, `${text}${lines}`);
}

export type Gated = EventOf<'gated'>;
export type Approved = EventOf<'approved'>;

/** Evaluated by the gates. */
export function isGated(event: LogbookEvent): event is Gated {
  return event.type === 'gated';
}

/** An approval event. */
export function isApproved(event: LogbookEvent): event is Approved {
  return event.type === 'approved';
}

/** The run's events; none if a pushed line makes the file unreadable. */
export async function readable(scene: Scene, run = scene.run): Promise<readonly LogbookEvent[]> {
  try {
    return await readEventsOf(scene.lab, run);
  } catch {
    return [];
  }
}
