/** Seals drafts into chained, signed entries. */

import { invariant } from '../domain/assert.ts';
import type { Instant } from '../domain/ids.ts';
import { WRITERS } from '../domain/logbook/definitions.ts';
import type { EventDraft, LogbookEvent } from '../domain/logbook/event.ts';
import type { PublicKey, Role } from '../domain/logbook/role.ts';
import { toRfc3339 } from '../domain/time.ts';
import { withoutMachineSecrets } from '../domain/written-secrets.ts';
import { GENESIS, hashedText, lineOf, signedText, type UnsealedEvent } from './chain.ts';
import { LOGBOOK_LINE_CHARS_MAX } from './codec.ts';
import type { Anchor, Hash, Signer } from './ports.ts';

/** A process without a role's key cannot write that role's events. */
export type Signers = { readonly [R in Role]?: Signer };

export type AppendContext = {
  readonly run: string;
  /** The newest event; null for a new file. */
  readonly head: Anchor | null;
  readonly at: Instant;
  readonly signers: Signers;
  /** Public keys from the config, recorded in the first event so that a copy can be verified alone. */
  readonly keys: readonly PublicKey[];
  readonly hash: Hash;
};

/** `line` has no newline. */
export type SealedEvent = { readonly event: LogbookEvent; readonly line: string };

/**
 * Seals `drafts` after `head`, in order. Throws if a draft's role may not write its type or has no signer here: a caller's bug must not
 * produce an invalid logbook.
 */
export function sealEvents(context: AppendContext, drafts: readonly EventDraft[]): readonly SealedEvent[] {
  let head = context.head;
  const sealed: SealedEvent[] = [];
  for (const draft of drafts) {
    const next = sealOne(context, head, draft);
    head = { seq: next.event.seq, hash: next.event.hash };
    sealed.push(next);
  }
  return sealed;
}

function sealOne(context: AppendContext, head: Anchor | null, draft: EventDraft): SealedEvent {
  const writers: readonly Role[] = WRITERS[draft.type];
  invariant(writers.includes(draft.role), `logbook-role-${draft.role}-may-not-write-${draft.type}`);
  const signer = context.signers[draft.role];
  invariant(signer !== undefined && signer.role === draft.role, `logbook-no-signer-for-${draft.role}`);
  // Runner and watch record machine output; control records people's text, or text bound by a digest.
  const written = draft.role === 'control' ? draft.data : withoutMachineSecrets(draft.data);
  const unsealed = {
    v: 1,
    run: context.run,
    seq: head === null ? 0 : head.seq + 1,
    at: toRfc3339(context.at),
    type: draft.type,
    role: draft.role,
    ...(draft.actor === undefined ? {} : { actor: draft.actor }),
    data: wellFormed(head === null ? withKeys(written, context.keys) : written),
    prev: head === null ? GENESIS : head.hash,
    keyId: signer.keyId,
    // Type and data come from one draft; the spread hides that from the compiler.
  } as UnsealedEvent;
  const hash = context.hash(hashedText(unsealed));
  const event = { ...unsealed, hash, sig: signer.sign(signedText(hash)) } as LogbookEvent;
  const line = lineOf(event);
  // An oversized line would make the whole file invalid.
  invariant(line.length <= LOGBOOK_LINE_CHARS_MAX, `logbook-line-too-long-${draft.type}`);
  return { event, line };
}

/** A lone surrogate has no canonical JSON and becomes U+FFFD. */
function wellFormed<Value>(value: Value): Value {
  const text = JSON.stringify(value);
  // JSON.stringify escapes only lone surrogates like this.
  if (!text.includes('\\ud')) return value;
  return JSON.parse(text, (_, one: unknown) => (typeof one === 'string' ? one.toWellFormed() : one));
}

function withKeys(data: EventDraft['data'], keys: readonly PublicKey[]): EventDraft['data'] {
  return { ...data, keys } as EventDraft['data'];
}
