// Promises about cluster changes, judged from people's comments, the cluster's calls and the record's bytes.

import type { Call, CareDeed, CareScene } from './care.ts';
import { canonical, parseEntry, sha256 } from './checker-record.ts';
import { APPROVAL_AGE_HOURS } from './terms.ts';

const SLACK_MS = 2_000;
const CONSENT_MS = APPROVAL_AGE_HOURS * 3_600_000;
/** 128 bits: no other proposal with the same digits can be found. */
const DIGITS_MIN = 32;

/** Every broken promise of this sequence, in words; empty if none is broken. */
export function findCareFaults({
  calls,
  deeds,
  texts,
}: Pick<CareScene, 'calls' | 'deeds' | 'texts'>): readonly string[] {
  const faults = calls.flatMap((call) => {
    const at = `${call.command.slice(0, 6).join(' ')} at ${new Date(call.atMs).toISOString()}`;
    const digests = listDigests(call, texts);
    if (digests.length === 0) return [`${at}: nobody had proposed that`];
    const living = deeds.filter((deed) => isLiving(deed, call, digests));
    if (living.length === 0) return [`${at}: nobody had consented`];
    const brakes = deeds.filter(
      (deed) =>
        deed.kind === 'braked' &&
        deed.atMs < call.atMs - SLACK_MS &&
        call.comments[deed.id]?.body === deed.text &&
        (!deed.text.startsWith('/stop') || living.every((given) => given.atMs <= deed.atMs)),
    );
    return brakes.map((deed) => `${at}: a brake of ${new Date(deed.atMs).toISOString()} stood`);
  });
  const said = calls.map(({ command }) => JSON.stringify(command));
  const again = said.filter((command, index) => said.indexOf(command) !== index);
  return [...faults, ...again.map((command) => `twice: ${command}`)];
}

type Proposal = { readonly steps?: readonly { readonly command?: readonly string[] }[] };

/** The digests of the recorded proposals that contain this call as a step. */
function listDigests({ command }: Call, texts: readonly string[]): readonly string[] {
  return texts
    .join('\n')
    .split('\n')
    .flatMap((line) => {
      const event = parseEntry(line);
      const proposal = event?.data?.['proposal'] as Proposal | undefined;
      const isIt = (step: { readonly command?: readonly string[] }): boolean =>
        JSON.stringify(step.command) === JSON.stringify(command);
      return event?.type === 'action-proposed' && proposal?.steps?.some(isIt) === true
        ? [sha256(canonical(proposal))]
        : [];
    });
}

/** A recent, existing and unchanged consent with the digest, to the proposal as the bot wrote it. */
function isLiving(deed: CareDeed, { atMs, comments }: Call, digests: readonly string[]): boolean {
  if (deed.kind !== 'action-approved' || !deed.isIntact || deed.atMs > atMs) return false;
  const digits = / ([0-9a-f]{8,64})$/.exec(deed.text)?.[1] ?? '';
  if (digits.length < DIGITS_MIN || !digests.some((digest) => digest.startsWith(digits))) return false;
  const row = comments[deed.id];
  const isThere = row !== undefined && row.body === deed.text && row.edits.length === 0;
  return isThere && atMs - deed.atMs <= CONSENT_MS + SLACK_MS;
}
