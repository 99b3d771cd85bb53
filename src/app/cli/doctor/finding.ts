/** What the doctor says about one thing that ferrybot relies on and a lab has to set up. */

/** `warning`: a lab may choose it, and has to know. `unknown`: this token cannot see it; it is never taken for ok. */
export type FindingState = 'ok' | 'warning' | 'missing' | 'unknown';

export type Finding = {
  /** A word that stays the same, such as `environment-branches`; docs/threat-model.md names them. */
  readonly check: DoctorCheck;
  readonly state: FindingState;
  readonly found: string;
  /** What a person should do; empty where the state is ok. */
  readonly todo: string;
};

/** Every check, in the order in which a lab is set up (docs/threat-model.md, what is left to the lab). */
export const DOCTOR_CHECKS = [
  'config',
  'keys',
  'job-user',
  'script-calls',
  'cluster-keys',
  'app-permissions',
  'workflows-present',
  'workflow-launch-safe',
  'workflows-pinned',
  'workflow-secrets',
  'workflow-events',
  'default-workflow-permissions',
  'actions-open-pulls',
  'fork-approval',
  'environment-control',
  'environment-branches',
  'environment-watch',
  'environment-care',
  'environment-secrets',
  'job-secrets',
  'channel-secrets',
  'tracker-secrets',
  'registry-secrets',
  'tracker-reached',
  'no-key-outside',
  'runner-label',
  'runner-group',
  'ruleset-default-branch',
  'ruleset-logbook',
  'ruleset-seal-tags',
] as const;
export type DoctorCheck = (typeof DOCTOR_CHECKS)[number];

/** A finding that needs nothing done. */
export function fine(check: DoctorCheck, found: string): Finding {
  return { check, state: 'ok', found, todo: '' };
}

/** Something that is not as ferrybot needs it. */
export function missing(check: DoctorCheck, found: string, todo: string): Finding {
  return { check, state: 'missing', found, todo };
}

/** A choice with a known weakness. */
export function warning(check: DoctorCheck, found: string, todo: string): Finding {
  return { check, state: 'warning', found, todo };
}

/** Something that could not be read. */
export function unseen(check: DoctorCheck, why: string, todo: string): Finding {
  return { check, state: 'unknown', found: why, todo };
}

/** What to do about every setting that a token may not read. */
export const LOOK = 'This token may not read it; look yourself, or ask again with an administrator’s token.';
