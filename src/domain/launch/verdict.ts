/** What a gate answers: pass, fail or unknown, with a closed reason code, what was found, what to do and who can. */

export const GATES = [
  'target-branch',
  'head-repository',
  'authors-known',
  'freshness',
  'checks-green',
  'config-valid',
  'scope',
  'delta-readable',
  'delta-declared',
  'budget',
  'scale-stable',
  'identical-rerun',
  'run-name-dated',
  'risk-present',
  'last-ferry-linked',
  'preconditions',
  'issue-updated',
  'cluster-matches',
  'cost-budget',
  'lane-free',
  'not-held',
  'manifest-complete',
  'approver-allowed',
  'manifest-unchanged',
] as const;
export type GateId = (typeof GATES)[number];

/**
 * Gates over the approvals themselves. They are no condition of giving one, only of launching on it, and are not recorded
 * in `gated`: the record has the approvals.
 */
export const APPROVAL_GATES = ['approver-allowed', 'manifest-unchanged'] as const satisfies readonly GateId[];

/** Who can supply what is missing. */
export const REMEDY_ACTORS = ['author', 'maintainer', 'approver', 'anyone', 'lab', 'time'] as const;
export type RemedyActor = (typeof REMEDY_ACTORS)[number];

/** Found values by name, as text or integers: they stand in the logbook and are escaped when they are shown. */
export type Found = { readonly [name: string]: string | number };

export type Verdict = {
  readonly gate: GateId;
  readonly outcome: 'pass' | 'warn' | 'fail' | 'unknown';
  /** Closed per gate; `render/gates` has the sentence for each. */
  readonly code: string;
  readonly found: Found;
  readonly remedyBy: RemedyActor;
};

/** Whether every gate lets the run through: a warning does, unknown never does. */
export function allPass(verdicts: readonly Verdict[]): boolean {
  return verdicts.length > 0 && verdicts.every((v) => v.outcome === 'pass' || v.outcome === 'warn');
}
