/**
 * Pre-approved fixes: the approved manifest's envelope names files that the built-in fixer may fix once, followed by a restart without a
 * person.
 */

import type { Digest, Sha } from '../ids.ts';
import { isSha } from '../ids.ts';
import { type IssuedOrder, ordersOf, type PastAttempt, type RunState } from '../logbook/run-state.ts';
import type { Manifest } from './manifest.ts';
import { failedAttempt, isFixGated, rollbackOf } from './next-attempt.ts';
import { fixMade, isExternal } from './small-fix.ts';

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
