/** A small code fix by a program (policy ML-26): on the run's own branch, once per run, approved like any fix. */

import { type IncidentOf, incidentsWith } from '../incidents.ts';
import { type IssuedOrder, ordersOf, type PastAttempt, type RunState } from '../logbook/run-state.ts';
import { type Digest, type DigestOf, isSha, type Sha } from '../values.ts';
import type { Manifest } from './manifest.ts';
import { failedAttempt, isFixGated, mayBeFixed, rollbackOf } from './next-attempt.ts';
import type { PatchFault } from './patch.ts';

/** The fixed file and its diff, or why there is no fix. */
export type SmallFix =
  | { readonly kind: 'fix'; readonly path: string; readonly text: string; readonly diff: string }
  | { readonly kind: 'none'; readonly reason: string };

/** A small code failure and the commit it happened on. */
export type SlipOfAttempt = {
  readonly attempt: number;
  readonly commit: Sha;
  readonly file: string;
  readonly line: number;
  readonly error: string;
  readonly endedAt: string;
};

/** The run's own branch; an adopted job has none and gets a new one. */
export function fixBranch({ run, proposal }: Pick<RunState, 'run' | 'proposal'>): {
  readonly name: string;
  readonly isNew: boolean;
} {
  return proposal.adopts === undefined
    ? { name: proposal.headBranch, isNew: false }
    : { name: `ferrybot/fix/${run}`, isNew: true };
}

/** An adopted job's description, at the commit of its fix if there is one. */
export function jobAsMended(state: Pick<RunState, 'description' | 'incidents'>): RunState['description'] {
  const { description } = state;
  const fix = ownFix(state);
  return description === null || fix === null ? description : { ...description, commit: fix.commit };
}

/** The newest attempt's small code failure, if this run has no fix attempt yet. */
export function openSlip(state: RunState): SlipOfAttempt | null {
  const { end, submission } = state;
  if (submission === null || end === null || !mayBeFixed(state) || fixTried(state) !== null) return null;
  return slipOf({ submission, end });
}

/** The small code failure in the recorded diagnosis, or null. */
export function slipOf({ submission, end }: Pick<PastAttempt, 'submission' | 'end'>): SlipOfAttempt | null {
  if (end.diagnosis === undefined) return null;
  const { class: kind, place, error } = end.diagnosis;
  if (kind !== 'code-small' || place === null || error === null) return null;
  const { attempt, commit } = submission;
  return { attempt, commit, file: place.file, line: place.line, error, endedAt: end.at };
}

/** Result of the run's only fix attempt. Every role writes incidents, so only control's count. */
export function fixTried({ incidents }: RunState): IncidentOf<'fix-made' | 'fix-not-made'> | null {
  const tried = [...incidentsWith(incidents, 'fix-made'), ...incidentsWith(incidents, 'fix-not-made')];
  return tried.find(({ role }) => role === 'control') ?? null;
}

/** The fix that control recorded for this run. */
export function fixMade({ incidents }: Pick<RunState, 'incidents'>): IncidentOf<'fix-made'> | null {
  return incidentsWith(incidents, 'fix-made').find(({ role }) => role === 'control') ?? null;
}

/** Whether the lab's program wrote the fix, so that it cannot be recomputed. */
export function isExternal({ detail }: IncidentOf<'fix-made'>): boolean {
  return detail.by !== undefined;
}

/** The commit of ferrybot's own fix, and the record entry whose comment reports it. */
export type OwnFix = { readonly commit: Sha; readonly seq: number };

/** The fix that control recorded, if its commit is valid. */
export function ownFix(state: Pick<RunState, 'incidents'>): OwnFix | null {
  const made = fixMade(state);
  if (made === null || !isSha(made.detail.commit)) return null;
  return { commit: made.detail.commit, seq: made.seq };
}

/** `digest`: the manifest whose envelope allows the fix. */
export type PreApproval = {
  readonly digest: Digest;
  readonly commit: Sha;
  readonly path: string;
  readonly after: PastAttempt;
};

/** Whether the manifest pre-approves fixes of this file. Files that define the training are never pre-approved. */
export function preApproves(manifest: Manifest | null, path: string): boolean {
  const named = manifest?.envelope.fixes ?? [];
  return !decidesTraining(path) && named.some((entry) => path === entry || path.startsWith(`${entry}/`));
}

/** Whether a part of the path suggests model, optimizer or data code, which a person must review even if the lane lists the file. */
export function decidesTraining(path: string): boolean {
  const words = path.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^A-Za-z]+/);
  return words.some((word) => TRAINS.test(word));
}

/** The pre-approved fix of the newest failure, or null if a person must approve. */
export function preApproval(state: RunState): PreApproval | null {
  const after = failedAttempt(state);
  const made = fixMade(state);
  if (after === null || made === null || rollbackOf(state) !== null || wasTaken(state)) return null;
  // A person must read what an external fixer wrote.
  if (isExternal(made)) return null;
  const { attempt, commit, place } = made.detail;
  if (attempt !== after.submission.attempt || !isSha(commit)) return null;
  const path = place.slice(0, place.lastIndexOf(':'));
  return preApproves(after.order.manifest, path)
    ? { digest: after.order.order.digest, commit, path, after }
    : null;
}

/**
 * The manifest whose approvals cover the gated fix, which may differ from it only in files; null if it needs its own approvals. A reissued
 * order keeps its basis.
 */
export function approvedBeforehand(state: RunState): Digest | null {
  const { gate, order } = state;
  if (gate === null || gate.digest === null) return null;
  if (order !== null && order.order.digest === gate.digest && order.status !== 'failed')
    return order.order.preApprovedBy ?? null;
  const given = preApproval(state);
  if (given === null || given.commit !== gate.commit || !isFixGated(state)) return null;
  return isSameButFiles(gate.manifest, given.after.order.manifest) ? given.digest : null;
}

/** Whether two manifests differ only in the shipped files. */
export function isSameButFiles(one: Manifest | null, other: Manifest | null): boolean {
  return one !== null && other !== null && isSame({ ...one, trees: {} }, { ...other, trees: {} });
}

/** Each run gets one pre-approved launch, also if the runner refused it. */
function wasTaken(state: RunState): boolean {
  return ordersOf(state).some(
    ({ order: one, status }) => one.preApprovedBy !== undefined && TAKEN.includes(status),
  );
}

const TAKEN: readonly IssuedOrder['status'][] = ['claimed', 'submitted', 'failed'];

/** Deep equality; an undefined property equals a missing one. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names].every((name) => isSame(left.get(name), right.get(name)));
}

/** Stems of words, and whole words, that suggest training code or data. */
const TRAINS =
  /^(?:model|layer|attention|transformer|embed|router|expert|kernel|optim|schedul|adam|muon|grad|loss|train|learn|hyper|param|batch|precision|data|corp|token|mixture|loader|sampl|shard|preprocess|shuffl|(?:lr|sgd|lion|mlp|ffn|moe|nn|rope|norm|bpe)$)/i;

/** The lane's fixer setting. */
export type Fixer = { readonly command: readonly string[]; readonly timeoutMs: number };

/** Why a fixer's answer is not committed. The log of a workflow run that failed has the reason. */
export type NoExternalFix =
  | 'fixer-failed'
  | 'fixer-not-started'
  | 'fixer-late'
  | 'fixer-cancelled'
  | PatchFault
  | 'outside-scope'
  | 'not-in-tree'
  | 'not-mended'
  | 'too-long';

/** The changed files, and the diff that people see. */
export type ExternalFix =
  | {
      readonly kind: 'fix';
      readonly files: Readonly<Record<string, string>>;
      readonly place: string;
      readonly diff: string;
    }
  | { readonly kind: 'none'; readonly reason: NoExternalFix };

/** State of the newest request to a run's fixer. `taken-away`: a person cancelled or deleted its workflow run or artifact. */
export type FixerStanding =
  | { readonly kind: 'under-way' }
  | { readonly kind: 'taken-away' }
  | { readonly kind: 'answered'; readonly fix: ExternalFix };

/** Identifies the failure in the record of the dispatch and in the inputs of the workflow. */
export function failureDigest(
  run: string,
  { attempt, commit, endedAt }: SlipOfAttempt,
  digestOf: DigestOf,
): Digest {
  return digestOf(JSON.stringify(['fix', run, attempt, commit, endedAt]));
}
