/** Bounds that several files keep, each with its reason; what one file keeps stands there. */

export const limits = {
  /**
   * Hex digits of a digest that an approval or a consent has to name: 128 bits. Whoever writes the change can try
   * manifests: two that share twelve digits are found in 2^24 tries, two that share 32 in 2^64.
   */
  bindingHexDigits: 32,
  /** GitHub counts content writes by the hour, and so does whoever looks into a thread now and then. */
  textRestoresPeriodMs: 60 * 60 * 1_000,
  /** Edited comments of ours whose history is read to find the card, or a proposal that lost its first line: each costs a request. */
  spoiledTextsMax: 5,
  /** Steps of a change that no runner has begun so long after its claim are not made any more. */
  actionLifetimeMs: 60 * 60 * 1_000,
  /** An empty folder takes some kilobytes itself; downloads that went astray take gigabytes. */
  misplacedBytesMin: 1024 * 1024,
  /** Workers that are asked over ssh at one time: a gcloud takes 100 MB and a second or two of a processor. */
  sshParallelMax: 8,
  /** After `init-worker` the mount and Ray come back within minutes. */
  diskVerifyWaitMs: 10 * 60 * 1_000,
  /** Between two looks at a worker that comes back. */
  diskVerifyPeriodMs: 30_000,
  /** Hosts that one clean-up names, 4 kB each in its entry of the logbook: the largest slices have 256. */
  cleanHostsMax: 200,
  /** A webhook answers in a second; what takes longer keeps a watch from its next look. */
  channelTimeoutMs: 5_000,
  /** The message, and once more after a pause that was asked for. */
  channelTriesMax: 2,
  /** One page of a listing: what GCS and S3 give at the most. */
  storePageObjects: 1_000,
  /** Objects of one checkpoint: of 5 TB in chunks of 64 MB there are 80,000. */
  checkpointObjectsMax: 200_000,
  /** Checkpoints of one list that somebody consents to: each is listed and looked at again within `actionLifetimeMs`. */
  cleanupCheckpointsMax: 50,
  /** A list and its paths fit one comment, twice; more is listed after. */
  cleanupListCharactersMax: 20_000,
  /** Checkpoints that stay and are named in the list, of the newest. */
  cleanupKeptShown: 60,
  /** A store's clock and ours differ by less, and the last file of a save is there so long after its job was seen to end. */
  lineageSlackMs: 60_000,
  /** Checkpoints that the watch reads of each root at one look: the usual ten for rollback, some that stay for ever, and one that is being written. */
  storeLookReads: 16,
  /** Who did not append an event waits so long before publishing it: the appender publishes first. */
  publishGraceMs: 60_000,
  /** Stops, seals and other steps outside that failed are tried again on a trigger, so many times in one process. */
  effectTriesMax: 3,
  /** What a fixer of the lab prints: a patch of a small slip, with everything that git writes around it. */
  fixPatchCharsMax: 20_000,
  /** A file of code that people read is shorter: what is longer was made by a program, and is not mended by one. */
  fixedFileCharsMax: 200_000,
  /** A run that is over is looked at for so long, in case its last comment was not posted. */
  overLookMs: 24 * 60 * 60 * 1_000,
  /** Threads that are told that the logbook cannot be written, where commands were heard in more: whoever mends it needs one. */
  refusedToldInMax: 10,
  /** Passes of one sweep, each of so many pages and threads: 10,000 comments; the next sweep goes on from there. */
  sweepPassesMax: 5,
  /** How far back a sweep without any record looks for unanswered commands: GitHub redelivers for three days. */
  sweepLookbackMs: 3 * 24 * 60 * 60 * 1_000,
  /** Slack when the sweep's start is taken from the newest event: clocks differ. */
  sweepSlackMs: 5 * 60 * 1_000,
  /** Threads without a run that one pass of a sweep sends somebody to read: each is a request. */
  journalThreadsPerTriggerMax: 40,
  /** How often labelled issues are looked for that no webhook told of. */
  experimentLookPeriodMs: 6 * 60 * 60 * 1_000,
  /** Pull requests that one look reads. */
  otherPullsMax: 20,
  /** Moves of a target branch that are read to find the base of a change; a change that begins further back is rebased. */
  branchMovesRead: 500,
  /** Changes between two commits that one process keeps: one for each live run and some before. */
  changeCacheEntries: 20,
  /** Second and third tries of one day's proposal, after the first was withdrawn. */
  proposalsPerDayMax: 20,
  /** Names of one day, with those under which somebody has pushed a branch that is no proposal. */
  proposalNamesMax: 60,
  /** Issues that somebody's own pull request links, of which the first open one that was no run's becomes its own: each is a request. */
  linkedIssuesMax: 5,
  /** All checks before one push together: a lab's pre-commit, type check and quick tests; the chat job lives ten minutes. */
  checksTimeoutMs: 6 * 60 * 1_000,
  /** A `/propose` that GitHub or git keep from being carried out is told so after this. */
  requestPatienceMs: 6 * 60 * 60 * 1_000,
  /** Rounds of one trigger for one `/propose`: each loses a race against another process. */
  requestRoundsMax: 4,
  /** Commits of one interval that git is asked for; the context names fewer. */
  intervalCommitsRead: 200,
  /** An order that nobody claimed lapses after two hours: the facts that it was decided on are old by then. */
  orderLifetimeMs: 2 * 60 * 60 * 1_000,
  /** A dispatched workflow run shows up in the list within this; until then absence means nothing. */
  dispatchVisibleMs: 60_000,
  /** A workflow whose run ended without its work is dispatched again so much later for each try. */
  redispatchPauseMs: 60_000,
  /** The longest pause between two dispatches for one thing. */
  redispatchPeriodMs: 10 * 60 * 1_000,
  /** Dispatches of one order: each is harmless, since the claim is used once, but not free. */
  dispatchesPerOrderMax: 3,
  /** The last step may fall short of the configured one by this (seen in real ferries: 5155 on the bar, 5153 recorded). */
  finalStepSlack: 2,
  /** Difference to GitHub's clock that is taken for network delay and whole seconds. */
  clockSlackMs: 3_000,
  /** A permission that GitHub does not tell is asked for again on every trigger; after this the person is told. */
  permissionPatienceMs: 10 * 60 * 1_000,
  /** People whose permission one trigger asks for: more waiting commands than that are answered on the next. */
  permissionsPerTriggerMax: 20,
  /** A push that lost the race is tried again from the new state. */
  appendTriesMax: 8,
  /** Text of an outside program that is kept in an event. */
  messageCharactersMax: 1_000,
  /** No secret is longer as it is written down: a key of a Google account is 2.4 kB, in an address three times that. */
  secretCharactersMax: 8 * 1024,
  /** One file that is read at all: some hundred times what ferrybot writes, and what one git command may print. */
  logbookFileBytesMax: 64 * 1024 * 1024,
  /** Runs that a process reads of those that were launched and are not over: as many as one installation watches. */
  liveRunsReadMax: 1_000,
  /** Runs that a process reads of each lane's that were launched and are over: a month of a daily one, with some of its days twice. As many of all lanes' that were never launched. */
  runsReadMax: 40,
  /** A git command that talks to the remote: the first fetch of a large repository without blobs takes a minute. */
  gitNetworkTimeoutMs: 300_000,
  /** From SIGTERM to SIGKILL for a helper program. */
  programKillGraceMs: 5_000,
  /** How long a stop waits to see the end before it answers `stopping`: grace and a loaded machine's delay. */
  jobStopWaitMs: 15_000,
  /** Between two looks at a record that a supervisor is about to write. */
  jobRecordPollMs: 25,
  /** A submit whose answer was lost is looked for at once and after these pauses: the head takes a job within two seconds. */
  rayLookAgainDelaysMs: [0, 1_000, 3_000],
  /** Between two looks at a job that was told to stop; Ray gives it three seconds before SIGKILL. */
  rayStopPollMs: 500,
  /** YAML aliases may refer to each other and grow without end; a config has a handful. */
  configAliasesMax: 20,
  /** A name of a metric; longer ones are left out. */
  metricNameCharactersMax: 200,
  /** One text in the answer to a `/propose`: the end of a check's output stands in it. */
  answerTextChars: 2_000,
  /** Names in one cell: enough to find somebody. */
  shownNamesMax: 5,
  /** Text of somebody else in a sentence or table cell: enough to recognise it, too little to drown the rest. */
  shownTextCharsMax: 200,
  /** A message or command of a program in a block of its own. */
  shownBlockCharsMax: 1_500,
  /** Rows of one table in a comment, enough for every launch gate; all of them stand in the logbook. */
  shownRowsMax: 30,
  /** Runs of a lane that its history shows: a month of a daily one. */
  historyRows: 30,
  /** The rows of a history in one comment: two thirds of what GitHub takes, for what stands around them. */
  historyCharsMax: 40_000,
  /** A title of an issue, a pull request or a check run. */
  titleCharsMax: 120,
  /** Metrics in one line where the lab named no key metrics. */
  shownMetricsMax: 8,
  /**
   * The whole manifest on the card, folded: a ferry's has two to four thousand characters, a hero run's with its contract some
   * ten thousand. A longer one is not launched, since nobody would see all of it; the card has 65,536.
   */
  shownManifestCharsMax: 20_000,
  /** A watch's lease outlives its cadence by this much, then another may take over with a higher fence. */
  leaseSlackMs: 90_000,
  /** Looks in one turn: what a thousand runs print at once is not held together, and a stop is looked for between. */
  looksPerTurnMax: 100,
  /** A look comes later than it was wanted by so much at the most: what would be too long by then is ended before. */
  rentalLateMs: 120_000,
  /** Between two looks while a machine shall be gone, or the account cannot be read. */
  rentalAlertMs: 30_000,
  /** The credit has to last so long at least: somebody who is told has time to add some. */
  creditHorizonMs: 60 * 60 * 1_000,
  /** A job or a log that cannot be read for so long is told: a dashboard that restarts is back before, and one look in a row says nothing. */
  engineUnreadMs: 15 * 60 * 1_000,
  /** One read of a job's log: 20 h of progress lines, and little enough to classify at once. */
  logChunkBytesMax: 256 * 1024,
  /** A log line that is read as a whole; XLA prints allocations of some kilobytes, nothing useful beyond. */
  logLineCharsMax: 16 * 1024,
  /** Lines of a Ray task's traceback below its head, in which what is raised belongs to that task. */
  tracebackLinesMax: 100,
} as const;
