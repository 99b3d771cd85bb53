/** Limits that several files use, with reasons. A limit of a single file is defined in that file. */

export const limits = {
  /**
   * Hex digits of a digest that an approval or a consent must name: 128 bits. The author of a change can search for colliding manifests: 12
   * digits take 2^24 tries, 32 take 2^64.
   */
  bindingHexDigits: 32,
  /** GitHub limits content writes per hour. */
  textRestoresPeriodMs: 60 * 60 * 1_000,
  /** Histories of edited ferrybot comments that are read to find a damaged card or proposal; one request each. */
  spoiledTextsMax: 5,
  /** Time after the runner's claim in which the steps of a change may start; also the lifetime of a capability. */
  actionLifetimeMs: 60 * 60 * 1_000,
  /** Size from which a folder counts as misplaced downloads: an empty folder takes kilobytes, downloads take gigabytes. */
  misplacedBytesMin: 1024 * 1024,
  /** Concurrent ssh calls to workers: each gcloud process needs 100 MB. */
  sshParallelMax: 8,
  /** The mount and Ray return within minutes of `init-worker`. */
  diskVerifyWaitMs: 10 * 60 * 1_000,
  diskVerifyPeriodMs: 30_000,
  /** Hosts in one clean-up, at 4 kB each in its record entry; the largest slices have 256. */
  cleanHostsMax: 200,
  /** A webhook usually answers within a second; waiting longer delays the watch. */
  channelTimeoutMs: 5_000,
  /** The message, and one retry after a requested pause. */
  channelTriesMax: 2,
  /** Maximum page size of GCS and S3. */
  storePageObjects: 1_000,
  /** A checkpoint of 5 TB in 64 MB chunks has 80,000 objects. */
  checkpointObjectsMax: 200_000,
  /** Checkpoints in one deletion proposal: the runner lists and checks each one again within `actionLifetimeMs`. */
  cleanupCheckpointsMax: 50,
  /** The list and its paths must fit into one comment, twice. */
  cleanupListCharactersMax: 20_000,
  cleanupKeptShown: 60,
  /** Clock difference to a store, and delay of a save's last file after its job ended. */
  lineageSlackMs: 60_000,
  /** Checkpoints read per root and observation: about ten for rollback, some permanent, one in progress. */
  storeLookReads: 16,
  /** Other processes wait this long before publishing an event, so that its author publishes first. */
  publishGraceMs: 60_000,
  /** Retries per process of a failed stop, seal or other effect, one per trigger. */
  effectTriesMax: 3,
  /** A small patch with git's headers. */
  fixPatchCharsMax: 20_000,
  /** Larger source files are generated, and the fixer does not change them. */
  fixedFileCharsMax: 200_000,
  /** A finished run is checked this long for comments that were not posted. */
  overLookMs: 24 * 60 * 60 * 1_000,
  /** Threads that get a notice about an unwritable logbook; a maintainer needs only one. */
  refusedToldInMax: 10,
  /** Passes per sweep, about 10,000 comments; the next sweep continues. */
  sweepPassesMax: 5,
  /** Lookback of a sweep without a record: GitHub redelivers for three days. */
  sweepLookbackMs: 3 * 24 * 60 * 60 * 1_000,
  /** Clock difference when a sweep starts from the newest event. */
  sweepSlackMs: 5 * 60 * 1_000,
  /** Threads without a run per pass; one request each. */
  journalThreadsPerTriggerMax: 40,
  /** Pull requests read per sweep, or per attempt to start labelled ones; the next sweep continues. */
  otherPullsMax: 20,
  /** Target-branch pushes read to find a change's base; an older change must be rebased. */
  branchMovesRead: 500,
  /** Retries of one day's proposal after the first was withdrawn. */
  proposalsPerDayMax: 20,
  /** Branch names for one day, including names that other branches already use. */
  proposalNamesMax: 60,
  /** Linked issues of a person's pull request that are read; one request each. */
  linkedIssuesMax: 5,
  /** All pre-push checks together; the chat job has a limit of ten minutes. */
  checksTimeoutMs: 6 * 60 * 1_000,
  /** After this time, ferrybot reports that GitHub or git blocks a `/propose`. */
  requestPatienceMs: 6 * 60 * 60 * 1_000,
  /** Retries per trigger of a `/propose` that loses a race to another process. */
  requestRoundsMax: 4,
  intervalCommitsRead: 200,
  /** Facts older than this no longer justify an unclaimed order. */
  orderLifetimeMs: 2 * 60 * 60 * 1_000,
  /** Pause per retry of a workflow that ended without doing its work. */
  redispatchPauseMs: 60_000,
  /** Maximum pause between two dispatches. */
  redispatchPeriodMs: 10 * 60 * 1_000,
  /** Repeated dispatches are harmless, because the claim is used once, but not free. */
  dispatchesPerOrderMax: 3,
  /** Tolerated difference between the configured and the recorded last step (observed: 5155 configured, 5153 recorded). */
  finalStepSlack: 2,
  /** Tolerated difference to GitHub's clock: network delay and whole seconds. */
  clockSlackMs: 3_000,
  /** A permission lookup is retried on every trigger; after this time the person is notified. */
  permissionPatienceMs: 10 * 60 * 1_000,
  /** Permission lookups per trigger; the other commands wait for the next trigger. */
  permissionsPerTriggerMax: 20,
  /** Retries of a push that lost a race. */
  appendTriesMax: 8,
  /** Text of an outside program in an event. */
  messageCharactersMax: 1_000,
  /** Maximum length of a secret in any encoding: a Google account key has 2.4 kB, triple when URL-encoded. */
  secretCharactersMax: 8 * 1024,
  /** Maximum size of a logbook file, and of one git command's output. */
  logbookFileBytesMax: 64 * 1024 * 1024,
  /** Launched and live runs that a process reads. */
  liveRunsReadMax: 1_000,
  /** Finished runs per lane that a process reads: about a month of a daily lane. Also the total of never launched runs that it reads. */
  runsReadMax: 40,
  /** The first fetch of a large repository without blobs takes a minute. */
  gitNetworkTimeoutMs: 300_000,
  /** From SIGTERM to SIGKILL for a helper program. */
  programKillGraceMs: 5_000,
  /** How long a stop waits for the end before it answers `stopping`. */
  jobStopWaitMs: 15_000,
  /** Poll interval for a supervisor's record. */
  jobRecordPollMs: 25,
  /** Pauses before each search for a submission after a lost answer: the head registers a job within two seconds. */
  rayLookAgainDelaysMs: [0, 1_000, 3_000],
  /** Poll interval after a stop request; Ray waits three seconds before SIGKILL. */
  rayStopPollMs: 500,
  /** Bounds YAML alias expansion. */
  configAliasesMax: 20,
  /** Longer metric names are dropped. */
  metricNameCharactersMax: 200,
  /** One text in the answer to a `/propose`, for example the end of a check's output. */
  answerTextChars: 2_000,
  /** Names in one table cell. */
  shownNamesMax: 5,
  /** Foreign text in a sentence or table cell. */
  shownTextCharsMax: 200,
  /** A program's message or command in a code block. */
  shownBlockCharsMax: 1_500,
  /** Rows of one table in a comment: enough for every launch gate. The logbook has all of them. */
  shownRowsMax: 30,
  /** A month of a daily lane. */
  historyRows: 30,
  /** Two thirds of GitHub's limit, to leave space for the rest of the comment. */
  historyCharsMax: 40_000,
  titleCharsMax: 120,
  /** Metrics in one line if the lab named no key metrics. */
  shownMetricsMax: 8,
  /**
   * The complete manifest on the card; a comment has at most 65,536 characters. A ferry's manifest has up to 4,000 characters, a hero run's
   * about 10,000. Gates reject a longer manifest, because people could not see all its text.
   */
  shownManifestCharsMax: 20_000,
  /** Slack after a watch's cadence before another watch may take over with a higher fence. */
  leaseSlackMs: 90_000,
  /** Observations per turn, to bound memory and to check for stop requests between turns. */
  looksPerTurnMax: 100,
  /** Maximum delay of an observation. A machine that would reach a limit within this delay is destroyed early. */
  rentalLateMs: 120_000,
  /** Poll interval during a tear-down, or while the account cannot be read. */
  rentalAlertMs: 30_000,
  /** Minimum remaining credit, so that a person has time to add more. */
  creditHorizonMs: 60 * 60 * 1_000,
  /** Unreadable time before a notification; a restarting dashboard returns sooner. */
  engineUnreadMs: 15 * 60 * 1_000,
  /** One log read: 20 h of progress lines, small enough to classify in one step. */
  logChunkBytesMax: 256 * 1024,
  /** XLA prints allocation lines of several kB; longer lines contain nothing useful. */
  logLineCharsMax: 16 * 1024,
  /** Lines after a Ray task's traceback header in which an exception belongs to that task. */
  tracebackLinesMax: 100,
} as const;
