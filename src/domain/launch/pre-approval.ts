/**
 * A fix that was approved before anybody knew of the failure: the envelope of the approved manifest names the files in which
 * the built-in fixer alone may put a slip right, once, and have the job started again without a person.
 */

import type { Digest, Sha } from '../ids.ts';
import { isSha } from '../ids.ts';
import type { IssuedOrder, PastAttempt, RunState } from '../logbook/run-state.ts';
import type { Manifest } from './manifest.ts';
import { failedAttempt, isFixGated, rollbackOf } from './next-attempt.ts';
import { fixMade, isExternal } from './small-fix.ts';

/** `digest`: of the manifest that has approved it. */
export type PreApproval = {
  readonly digest: Digest;
  readonly commit: Sha;
  readonly path: string;
  readonly after: PastAttempt;
};

/** Whether a manifest lets a fix of this file be launched without asking again; what decides what is trained never is. */
export function preApproves(manifest: Manifest | null, path: string): boolean {
  const named = manifest?.envelope.fixes ?? [];
  return !decidesTraining(path) && named.some((entry) => path === entry || path.startsWith(`${entry}/`));
}

/**
 * Whether a path speaks of model, optimizer or data, in any of its folders: what is in such a file is somebody's to read,
 * whatever a lane names.
 */
export function decidesTraining(path: string): boolean {
  const words = path.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^A-Za-z]+/);
  return words.some((word) => {
    const plain = word.toLowerCase();
    return WHOLE_WORDS.has(plain) || STEMS.some((stem) => plain.startsWith(stem));
  });
}

/** The fix that control has made of the attempt that failed last, where its manifest has approved one there; null where a person is asked. */
export function preApproval(state: RunState): PreApproval | null {
  const after = failedAttempt(state);
  const made = fixMade(state);
  if (after === null || made === null || rollbackOf(state) !== null || wasTaken(state)) return null;
  // What somebody's program wrote is read by a person, wherever it stands.
  if (isExternal(made)) return null;
  const { attempt, commit, place } = made.detail;
  if (attempt !== after.submission.attempt || !isSha(commit)) return null;
  const path = place.slice(0, place.lastIndexOf(':'));
  return preApproves(after.order.manifest, path)
    ? { digest: after.order.order.digest, commit, path, after }
    : null;
}

/**
 * The manifest whose approvals let the gated one be launched, because it is that of the fix and differs in nothing but
 * files; null where it takes approvals of its own. What was ordered so rests on the same where it is ordered again.
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

/** Whether two manifests differ in the files that are shipped and in nothing else. */
export function isSameButFiles(one: Manifest | null, other: Manifest | null): boolean {
  return one !== null && other !== null && isSame({ ...one, trees: {} }, { ...other, trees: {} });
}

/** One launch a run: it was begun, or the runner has refused it. */
function wasTaken({ attempts, order }: RunState): boolean {
  const orders: readonly IssuedOrder[] = [
    ...attempts.map((past) => past.order),
    ...(order === null ? [] : [order]),
  ];
  return orders.some(({ order: one, status }) => one.preApprovedBy !== undefined && TAKEN.includes(status));
}

const TAKEN: readonly IssuedOrder['status'][] = ['claimed', 'submitted', 'failed'];

/** As JSON has it, in whatever order the names stand; a name without a value is none. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [left, right] = [new Map(Object.entries(one)), new Map(Object.entries(other))];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names].every((name) => isSame(left.get(name), right.get(name)));
}

/** Beginnings of words that name what is trained, how, or on what. */
const STEMS: readonly string[] = [
  'model',
  'layer',
  'attention',
  'transformer',
  'embed',
  'router',
  'expert',
  'kernel',
  'optim',
  'schedul',
  'adam',
  'muon',
  'grad',
  'loss',
  'train',
  'learn',
  'hyper',
  'param',
  'batch',
  'precision',
  'data',
  'corp',
  'token',
  'mixture',
  'loader',
  'sampl',
  'shard',
  'preprocess',
  'shuffl',
];
const WHOLE_WORDS: ReadonlySet<string> = new Set([
  'lr',
  'sgd',
  'lion',
  'mlp',
  'ffn',
  'moe',
  'nn',
  'rope',
  'norm',
  'bpe',
]);
