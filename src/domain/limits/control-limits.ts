/** The bounds of what control looks at and says (triggers, sweeps, receipts, cards), a part of `limits`, and why each is what it is. */

export const controlLimits = {
  /** Who did not append an event waits so long before publishing it: the appender publishes first. */
  publishGraceMs: 60_000,
  /** Steps of publishing in one turn: comments that are owed, then the card. */
  publishStepsMax: 12,
  /**
   * Writes of a watch: GitHub takes 80 a minute and 500 an hour of everybody together, control's answers to people among
   * them. What is no alert leaves some of that to alerts, which may be many at once.
   */
  contentWrites: { alerts: { minute: 60, hour: 450 }, others: { minute: 40, hour: 200 } },
  /** Time for what threads are owed in one turn of the watch: the next look for a stop must not wait for it. */
  publishTurnMs: 15_000,
  /** The card is edited no oftener than this unless the state changed, for the 80 requests of a five-hour ferry (docs/decisions/0021-how-often-the-card-moves.md). */
  cardPeriodMs: 30 * 60 * 1_000,
  /** The share of each active run in the installation's content budget: 500 writes an hour, of which cards get 200. */
  cardPeriodPerRunMs: 18_000,
  /** Reconcile rounds of one trigger: a run needs about six from a command to a dispatch. */
  reconcileRoundsMax: 25,
  /** Stops, seals and other steps outside that failed are tried again on a trigger, so many times in one process. */
  effectTriesMax: 3,
  /** What a fixer of the lab prints: a patch of a small slip, with everything that git writes around it. */
  fixPatchCharsMax: 20_000,
  /** Files of one patch: a slip and who imports it; more is somebody's work. */
  fixFilesMax: 3,
  /** Lines that one patch adds or removes: what a person reads before breakfast without missing one. */
  fixLinesMax: 30,
  /** A file of code that people read is shorter: what is longer was made by a program, and is not mended by one. */
  fixedFileCharsMax: 200_000,
  /** What its job leaves, as GitHub keeps it: the answer above in JSON, packed. */
  fixArtifactBytesMax: 64 * 1_024,
  /** How long its job may take, in its queue and on its machine, until people are told that nothing came of it. */
  fixerPatienceMs: 2 * 60 * 60 * 1_000,
  /** Runs of its workflow that were cancelled, left nothing or were started from elsewhere, until people are told so. */
  fixerRunsMax: 4,
  /** A run that is over is looked at for so long, in case its last comment was not posted. */
  overLookMs: 24 * 60 * 60 * 1_000,
  /** Different errors of our own that one thread is told about within a day: they are mended in the program, not in the thread. */
  troublesToldPerDay: 3,
  /** How long a notice of a broken record is taken to stand where this process saw it: who writes can delete it, and a command may have no other answer. */
  noticeSeenMs: 10 * 60 * 1_000,
  /** Threads that are told that the logbook cannot be written, where commands were heard in more: whoever mends it needs one. */
  refusedToldInMax: 10,
  /** Comments that one look at a thread leaves out because of errors of our own; beyond it the whole thread waits. */
  commentsLeftOutMax: 20,
  /** How long a job of somebody's waits to be confirmed where its lane names no time: a weekend. Another `/watch` is one line. */
  adoptionWaitMs: 72 * 60 * 60 * 1_000,
  /** How often the server looks for what webhooks did not bring. */
  sweepPeriodMs: 30 * 60 * 1_000,
  /** Passes of one sweep, each of so many pages and threads: 10,000 comments; the next sweep goes on from there. */
  sweepPassesMax: 5,
  /** Pages of 100 comments that one pass of a sweep reads. */
  sweepPagesMax: 20,
  /** How far back a sweep without any record looks for unanswered commands: GitHub redelivers for three days. */
  sweepLookbackMs: 3 * 24 * 60 * 60 * 1_000,
  /** Slack when the sweep's start is taken from the newest event: clocks differ. */
  sweepSlackMs: 5 * 60 * 1_000,
  /** ReconcileRequests of one repository that wait; beyond it they fold into a sweep. */
  triggersWaitingMax: 200,
  /** Readings of comments that a process keeps: those of a full thread, a few hundred bytes each. */
  commentReadingsKept: 20_000,
  /** Unanswered comments of one person that are parsed at a look, the newest, while GitHub has not said that they may do anything here. */
  untrustedCommentsPerLook: 20,
  /** Items of strangers that are recorded in one step: a flood takes few rounds, and one push stays small. */
  untrustedPerStepMax: 50,
  /** A comment that was seen and stands in no list any more was deleted, unless the list lags behind (reads after writes: a minute). */
  commentGoneMs: 60_000,
  /** A stranger's commands get at most one answer a thread in this time. */
  untrustedAnswerPeriodMs: 60 * 60 * 1_000,
  /** Receipts are counted over an hour, as GitHub counts its 500 content writes. */
  receiptPeriodMs: 60 * 60 * 1_000,
  /** Nobody types a command a minute for an hour. */
  receiptsPerPersonMax: 60,
  /** A stranger who asks ten times an hour has been heard. */
  receiptsPerUntrustedMax: 10,
  /** All strangers together: an eighth of the installation's content writes. */
  receiptsToUntrustedMax: 60,
  /** Comments whose receipt this process remembers to have given. */
  acknowledgedMax: 500,
  /** Threads without a run that one pass of a sweep sends somebody to read: each is a request. */
  journalThreadsPerTriggerMax: 40,
  /** How often labelled issues are looked for that no webhook told of. */
  experimentLookPeriodMs: 6 * 60 * 60 * 1_000,
  /** How often a sweep looks at pull requests without a run of their own; each look is a request, and one for each that moved. */
  otherPullsPeriodMs: 2 * 60 * 60 * 1_000,
  /** Pull requests that one look reads. */
  otherPullsMax: 20,
  /** How soon after a look the next event of a fork may ask for another one; the sweep makes up for it. */
  forkLookPeriodMs: 60_000,
  /** Sealed runs whose tag a sweep looks at: those that the next verdict is compared with. */
  sealTagsLooked: 5,
  /** Changes between two commits that one process keeps: one for each live run and some before. */
  changeCacheEntries: 20,
  /** Python files whose difference from a failed attempt is read; a fix touches a handful, and a merge is a person's to judge. */
  comparedFilesMax: 100,
  /** Later commits under the shipped paths that the freshness gate names; a proposal that is further behind is rebased anyway. */
  laterCommitsMax: 5,
  /** Texts whose reading a process keeps: the bodies of all live runs and the config, a few hundred KB. */
  readingsRemembered: 50,
  /** How many earlier versions of the config are looked at for the last valid one. */
  configHistoryCommits: 20,
  /** Problems of a config that stand in the log; the check on the pull request has all of them. */
  configProblemsLogged: 20,
  /** Sets of acts that /why looks at, 0.1 ms each; a ferry on which a dozen things are wrong needs some hundred. */
  remedySetsMax: 3_000,
  /** Acts of one way to green: more than there can be gates, boxes and knobs of a ferry. */
  remedyStepsMax: 100,
  /** Newest ferry threads that are looked at for a card where there is no logbook: one is enough, the newest may have none yet. */
  lostLogbookThreadsMax: 3,
  /** How old an incident may be when it is first told to those on call: through a night of quiet hours, and no older. */
  pageAgeMaxMs: 24 * 60 * 60 * 1_000,
  /** How much later the daily workflow may start than the day before: its own notice comes then, and a reminder beside it says nothing new. */
  dailyNoticeSlackMs: 6 * 60 * 60 * 1_000,
} as const;
