/** The bounds of a ferry from its proposal to its verdict, a part of `limits`, and why each is what it is. */

export const ferryLimits = {
  /** Second and third tries of one day's proposal, after the first was withdrawn. */
  proposalsPerDayMax: 20,
  /** Names of one day, with those under which somebody has pushed a branch that is no proposal. */
  proposalNamesMax: 60,
  /** Issues that somebody's own pull request links, of which the first open one that was no run's becomes its own: each is a request. */
  linkedIssuesMax: 5,
  /** A proposer's edits; a budget of knobs allows no more than this either. */
  proposerEditsMax: 20,
  /** All checks before one push together: a lab's pre-commit, type check and quick tests; the chat job lives ten minutes. */
  checksTimeoutMs: 6 * 60 * 1_000,
  /** A server waits so long for the lab's checks or its proposer; then they go on beside, and others are served. */
  helperPatienceMs: 2_000,
  /** Answers of such programs that are kept until their commands were looked at again. */
  helperAnswersMax: 20,
  /** A `/propose` that GitHub or git keep from being carried out is told so after this. */
  requestPatienceMs: 6 * 60 * 60 * 1_000,
  /** Rounds of one trigger for one `/propose`: each loses a race against another process. */
  requestRoundsMax: 4,
  /** Commits of the target branch that changed the experiment file since the last pass, and are looked at for who set what. */
  baseCommitsRead: 50,
  /** Without a last ferry the context begins so many days ago, and the PR says that it is a fallback. */
  intervalFallbackDays: 7,
  /** Commits of one interval that git is asked for; the context names fewer. */
  intervalCommitsRead: 200,
  /** Commits that a proposal lists; the body says how many more there are. */
  intervalCommitsMax: 30,
  /** Experiment issues that a proposal lists. */
  intervalIssuesMax: 20,
  /** Values that a configured range may stand for; more are no micro-tweak. */
  candidateValuesMax: 50,
  /** How long a claim, or a job that nobody has seen, is waited for before a person may give the run up. */
  giveUpPatienceMs: 10 * 60 * 1_000,
  /** An order that nobody claimed lapses after two hours: the facts that it was decided on are old by then. */
  orderLifetimeMs: 2 * 60 * 60 * 1_000,
  /** What was verified is done at once; a minute would do where the machine is not under load. */
  capabilityLifetimeMs: 10 * 60 * 1_000,
  /** A dispatched workflow run shows up in the list within this; until then absence means nothing. */
  dispatchVisibleMs: 60_000,
  /** After this a launch that was dispatched and is in no list, or ended without a claim, is dispatched again. */
  redispatchPeriodMs: 10 * 60 * 1_000,
  /** Dispatches of one order: each is harmless, since the claim is used once, but not free. */
  dispatchesPerOrderMax: 3,
  /** Sealed ferries whose median a new one is held against (policy DF-29). */
  verdictHistoryRuns: 5,
  /** The last step may fall short of the configured one by this (seen in real ferries: 5155 on the bar, 5153 recorded). */
  finalStepSlack: 2,
} as const;
