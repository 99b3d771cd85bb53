/** Composes an append: turns drafts into chained, signed entries, and checks that each entry is legal. */

import { limits } from '../domain/limits.ts';
import type { EventDraft, LogbookEvent } from '../domain/logbook/define.ts';
import { WRITERS } from '../domain/logbook/fold.ts';
import type { JournalState } from '../domain/logbook/journal-state.ts';
import { type PublicKey, ROLES, type Role } from '../domain/logbook/parts.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { fail, type Instant, invariant, ok, type Result, type RunId, toRfc3339 } from '../domain/values.ts';
import { maskMachineSecrets } from '../domain/written-secrets.ts';
import {
  type Anchor,
  type AppendResult,
  createTransitionCheck,
  type FileState,
  formatLine,
  GENESIS,
  type Hash,
  JOURNAL,
  LOGBOOK_LINE_CHARS_MAX,
  type Signer,
  textToSign,
  type UnsealedEvent,
} from './chain.ts';

/** A process without a role's key cannot write that role's events. */
export type Signers = { readonly [R in Role]?: Signer };

/** The private keys of this process, with the public half as the config lists it. */
export type SigningKeys = { readonly [R in Role]?: Pick<Signer, 'sign'> & { readonly public: string } };

/** Signers for the keys that are valid now. Throws for a key that the config does not list. */
export function createSigners(keys: SigningKeys, listed: readonly PublicKey[], at: Instant): Signers {
  const now = toRfc3339(at);
  const signers: { -readonly [R in Role]?: Signer } = {};
  for (const role of ROLES) {
    const key = keys[role];
    if (key === undefined) continue;
    const entry = listed.find(
      (one) => one.role === role && one.public === key.public && one.from <= now && now < one.until,
    );
    if (entry === undefined)
      throw new Error(
        `the private ${role} key fits no ${role} key of the config that is in force: list its public half ${key.public} under keys`,
      );
    signers[role] = { keyId: entry.id, role, sign: key.sign };
  }
  return signers;
}

/** `keys`: public keys from the config, recorded in the first event so that a copy can be verified without the config. */
export type ComposeContext = {
  readonly at: Instant;
  readonly signers: Signers;
  readonly keys: readonly PublicKey[];
  readonly hash: Hash;
};

/** `head`: the newest event; null for a new file. */
export type AppendContext = ComposeContext & { readonly run: string; readonly head: Anchor | null };

/** `line` has no newline. */
export type SealedEvent = { readonly event: LogbookEvent; readonly line: string };

/**
 * Chains and signs `drafts` after `head`, in order. Throws if a draft's role may not write its type or has no signer here, so that a
 * caller's bug cannot produce an invalid logbook.
 */
export function sealEvents(context: AppendContext, drafts: readonly EventDraft[]): readonly SealedEvent[] {
  let head = context.head;
  const sealed: SealedEvent[] = [];
  for (const draft of drafts) {
    const next = sealEvent(context, head, draft);
    head = { seq: next.event.seq, hash: next.event.hash };
    sealed.push(next);
  }
  return sealed;
}

function sealEvent(context: AppendContext, head: Anchor | null, draft: EventDraft): SealedEvent {
  const writers: readonly Role[] = WRITERS[draft.type];
  invariant(writers.includes(draft.role), `logbook-role-${draft.role}-may-not-write-${draft.type}`);
  const signer = context.signers[draft.role];
  invariant(signer !== undefined && signer.role === draft.role, `logbook-no-signer-for-${draft.role}`);
  // Runner and watch record machine output; control records people's text, or text bound by a digest.
  const written = draft.role === 'control' ? draft.data : maskMachineSecrets(draft.data);
  const unsealed = {
    v: 1,
    run: context.run,
    seq: head === null ? 0 : head.seq + 1,
    at: toRfc3339(context.at),
    type: draft.type,
    role: draft.role,
    ...(draft.actor === undefined ? {} : { actor: draft.actor }),
    data: toWellFormed(head === null ? { ...written, keys: context.keys } : written),
    prev: head === null ? GENESIS : head.hash,
    keyId: signer.keyId,
    // Type and data come from one draft; the spread hides that from the compiler.
  } as UnsealedEvent;
  const hash = context.hash(formatLine(unsealed));
  const event = { ...unsealed, hash, sig: signer.sign(textToSign(hash)) } as LogbookEvent;
  const line = formatLine(event);
  // An oversized line would make the whole file invalid.
  invariant(line.length <= LOGBOOK_LINE_CHARS_MAX, `logbook-line-too-long-${draft.type}`);
  return { event, line };
}

/** A lone surrogate has no canonical JSON and becomes U+FFFD. */
function toWellFormed<Value>(value: Value): Value {
  const text = JSON.stringify(value);
  // JSON.stringify escapes only lone surrogates like this.
  if (!text.includes('\\ud')) return value;
  return JSON.parse(text, (_, one: unknown) => (typeof one === 'string' ? one.toWellFormed() : one));
}

/** A verified file; nulls for a new one. */
export type RunHead = { readonly run: string; readonly head: Anchor | null; readonly state: FileState | null };

/** `lines` have no newline. */
export type ComposedRun = {
  readonly run: string;
  readonly lines: readonly string[];
  readonly appended: readonly LogbookEvent[];
  readonly head: Anchor;
  readonly state: FileState;
};

export type IllegalDraft = { readonly seq: number; readonly rule: string };

/** Appends at least one draft to a verified run. Each new event must be legal; existing entries are not checked again. */
export function composeAppend(
  runHead: RunHead,
  drafts: readonly EventDraft[],
  context: ComposeContext,
): Result<ComposedRun, IllegalDraft> {
  const { run } = runHead;
  const sealed = sealEvents({ ...context, run, head: runHead.head }, drafts);
  const check = createTransitionCheck(run, runHead.state);
  for (const { event } of sealed) {
    const rule = check.check(event);
    if (rule !== null) return fail({ seq: event.seq, rule });
  }
  const appended = sealed.map((entry) => entry.event);
  const last = appended.at(-1);
  invariant(last !== undefined, 'logbook-append-of-nothing');
  const head = { seq: last.seq, hash: last.hash };
  return ok({ run, lines: sealed.map(({ line }) => line), appended, head, state: check.state() });
}

/** Commit message without people's names, such as `<run>: log launch` (policy AG-05, HR-19). */
export function commitMessage(runs: readonly ComposedRun[]): string {
  const body = runs.length === 1 ? '' : `\n\n${runs.map((run) => `${run.run}: ${listTypes(run)}`).join('\n')}`;
  // The journal only announces a new run.
  const [only = runs[0], ...others] = runs.filter(({ run }) => run !== JOURNAL);
  if (only !== undefined && others.length === 0) return `${only.run}: ${describeOccasion(only)}${body}`;
  return `${runs.length} runs: log ${runs.reduce((sum, run) => sum + run.appended.length, 0)} events${body}`;
}

/** Fixed words for the occasions that people search a hero run's logbook for (policy HR-24). */
function describeOccasion(run: ComposedRun): string {
  const [first] = run.appended;
  // rule HR-23
  if (first?.type === 'proposed' && run.appended.some(({ type }) => type === 'contracted'))
    return `start ${first.data.kind ?? ''}-run logbook`;
  for (const { type, data } of run.appended) {
    // rule HR-73
    if (type === 'submitted') return data.attempt === 1 ? 'log launch' : 'log relaunch';
    if (type === 'sealed') return 'log final seal';
  }
  return `log ${listTypes(run)}`;
}

function listTypes(run: ComposedRun): string {
  return [...new Set(run.appended.map((event) => event.type))].join(', ');
}

export type Entry = { readonly run: RunId | 'journal'; readonly drafts: readonly EventDraft[] };

/** `load` rereads the record. */
export type RecordPort = {
  readonly append: (entries: readonly Entry[], at: Instant) => Promise<AppendResult>;
  readonly load: () => Promise<unknown>;
};

/** The clock dates the events. */
export type Writer<Store extends RecordPort = RecordPort> = {
  readonly store: Store;
  readonly lab: { readonly now: () => Instant };
};

type ReadableRecord = RecordPort & {
  readonly current: () => { readonly runs: readonly RunState[]; readonly journal: JournalState };
};

/** `nothing`: no drafts to record. `refused`: not recorded because of the remote, the disk or repeated lost races; try again later. */
export type Recorded =
  /** `seqs`: sequence numbers of the new events by file. */
  | { readonly kind: 'recorded'; readonly seqs: ReadonlyMap<string, readonly number[]> }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly message: string };

/**
 * Records the result of `decide` in one atomic push; calls it again after each lost race. Throws for illegal events and for a record that
 * does not verify.
 */
export async function recordDecision(
  { store, lab }: Writer,
  decide: () => readonly Entry[] | Promise<readonly Entry[]>,
): Promise<Recorded> {
  for (let attempt = 0; attempt < limits.appendTriesMax; attempt += 1) {
    const entries = (await decide()).filter(({ drafts }) => drafts.length > 0);
    if (entries.length === 0) return { kind: 'nothing' };
    const result = await store.append(entries, lab.now());
    if (result.kind === 'appended') return { kind: 'recorded', seqs: result.seqs };
    if (result.kind === 'refused') return result;
    if (result.kind === 'failed')
      throw new Error(`${describeEntries(entries)} could not be recorded: ${result.message}`);
    await store.load();
  }
  return { kind: 'refused', message: 'the logbook kept moving' };
}

/** Does nothing if the run does not exist. */
export function recordForRun(
  writer: Writer<ReadableRecord>,
  run: RunId,
  decide: (state: RunState) => readonly EventDraft[],
): Promise<Recorded> {
  return recordDecision(writer, () => {
    const state = writer.store.current().runs.find((one) => one.run === run);
    return state === undefined ? [] : [{ run, drafts: decide(state) }];
  });
}

/** Records drafts in the journal. */
export function recordInJournal(
  writer: Writer<ReadableRecord>,
  decide: (journal: JournalState) => readonly EventDraft[],
): Promise<Recorded> {
  return recordDecision(writer, () => [{ run: 'journal', drafts: decide(writer.store.current().journal) }]);
}

/** Records decisions only if the record has not changed since; otherwise `nothing`. */
export function recordEntries(writer: Writer<ReadableRecord>, entries: readonly Entry[]): Promise<Recorded> {
  const record = writer.store.current();
  return recordDecision(writer, () => (writer.store.current() === record ? entries : []));
}

function describeEntries(entries: readonly Entry[]): string {
  const [first] = entries;
  invariant(first !== undefined, 'logbook-append-of-nothing');
  const types = first.drafts.map(({ type }) => type).join(', ');
  return `${types} of ${first.run}${entries.length === 1 ? '' : ` and ${entries.length - 1} more`}`;
}
