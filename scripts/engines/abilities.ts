/** What sets one engine apart from another: the contract of every engine asserts each line, docs/engines.md shows it. */

/** A variable of a job, as a submit answers it: brought to the job as it is, or refused before anything is sent. */
type Taken = 'taken' | 'refused';

export type EngineAbilities = {
  /** One look at many jobs, as `observeMany`. */
  readonly looksAtMany: boolean;
  /** Lists what waits or runs, whoever launched it, as `live`. */
  readonly listsJobs: boolean;
  /** A new session of the engine has forgotten the jobs of the one before. */
  readonly forgetsWithSession: boolean;
  /** Tells before the claim which files would not reach the job, a link to a folder for example. */
  readonly tellsWhatStaysBehind: boolean;
  /** Jobs run in the shipped folders, and those of jobs that ended long ago are taken away. */
  readonly clearsOldTrees: boolean;
  /** Tells who launched a job and what it runs: without it nobody's job can be adopted. */
  readonly describesJobs: boolean;
  /** A value with `$NAME` in it. */
  readonly dollarInValue: Taken;
  /** A variable that is a secret, where the cluster's settings name no file for it. */
  readonly secretVariable: Taken;
  /** A token of GitHub. */
  readonly githubToken: Taken;
};

/** Of an engine that says nothing particular of itself. */
export const USUAL: EngineAbilities = {
  looksAtMany: false,
  listsJobs: false,
  forgetsWithSession: false,
  tellsWhatStaysBehind: false,
  clearsOldTrees: false,
  describesJobs: true,
  dollarInValue: 'taken',
  secretVariable: 'taken',
  githubToken: 'taken',
};

/** By the engine's name; a check compares the names with those of the registry. */
export const ABILITIES = {
  local: { ...USUAL, clearsOldTrees: true },
  ray: {
    ...USUAL,
    looksAtMany: true,
    listsJobs: true,
    forgetsWithSession: true,
    tellsWhatStaysBehind: true,
    dollarInValue: 'refused',
  },
  slurm: { ...USUAL, looksAtMany: true, listsJobs: true },
  iris: { ...USUAL, listsJobs: true, forgetsWithSession: true, tellsWhatStaysBehind: true, secretVariable: 'refused' },
  vast: { ...USUAL, describesJobs: false, githubToken: 'refused' },
} as const satisfies Readonly<Record<string, EngineAbilities>>;
