/** The markers of a lab's texts: sealed where effects are carried out, verified where texts are read. */

import type { Effect } from '../domain/effect.ts';
import { isOurText, knownEntry, type ReadMarker, saysForControl } from '../domain/marker.ts';
import { sealMarker, UNNUMBERED, verifyMarker } from '../logbook/marker-seal.ts';
import type { LabConfig } from '../run/lane-scope.ts';
import type { Lab } from './lab.ts';
import { signersFrom } from './signers.ts';

/** Verifies markers by the keys of the config, each in force at the time that the text names. */
export function markerReader(lab: Lab, config: LabConfig): ReadMarker {
  const { repository, hash, verifySignature } = lab;
  const known = { keys: config.keys, hash, verifySignature };
  return (thread, body) => verifyMarker(body, { repository, thread }, known);
}

/** Verifies the marker of an issue's body: one that was opened before it had a number is sealed without it. */
export function issueMarkerReader(lab: Lab, config: LabConfig): ReadMarker {
  const read = markerReader(lab, config);
  return (thread, body) => read(thread, body) ?? read(UNNUMBERED, body);
}

/**
 * Whether a text that stands in a thread is the one that this process is about to post there, sealed as given. What control
 * says of its own, nobody who holds another key has said in other words; nor has anybody before its entry stood.
 */
export function isSameText(
  lab: Lab,
  config: LabConfig,
  { thread, marker, body, entry }: Extract<Effect, { kind: 'post-comment' }>,
  sealedBody: string,
): (standing: string) => boolean {
  const markerOf = markerReader(lab, config);
  const own = markerOf(thread, sealedBody);
  const isControls = own?.role === 'control' && (entry === undefined || entry.role === 'control');
  return (standing) => {
    const found = markerOf(thread, standing);
    if (found === null || !isOurText(found, marker) || knownEntry(found) < (entry?.seq ?? 0)) return false;
    return !isControls || saysForControl(found, standing, body);
  };
}

/** Seals a text for a thread; null where this process holds no key, whose texts nobody would believe. */
export function sealed(lab: Lab, config: LabConfig, thread: number, body: string): string | null {
  const at = lab.now();
  const signers = signersFrom(lab.signingKeys, config.keys, at);
  const signer = signers.control ?? signers.watch ?? signers.runner;
  if (signer === undefined) return null;
  return sealMarker(body, { repository: lab.repository, thread }, { signer, at, hash: lab.hash });
}
