/** Every bound in one place: what stops each loop, wait, retry and size, and why it is what it is. */

import { rayLimits } from './ray-limits.ts';
import { watchLimits } from './watch-limits.ts';

export const limits = {
  ...watchLimits,
  /** A helper program (git, ps) that says nothing for two minutes hangs; nothing we run takes longer. */
  programTimeoutMs: 120_000,
  /** git diff and log of one interval stay far below this; more would only fill memory. */
  programOutputBytesMax: 16 * 1024 * 1024,
  /** From SIGTERM to SIGKILL for a helper program. */
  programKillGraceMs: 5_000,
  /** From SIGTERM to SIGKILL for a job: a temporary checkpoint of a small model is written in less. */
  jobStopGraceMs: 10_000,
  /** A job that is still there so long after its stop does not heed it: grace, kill and two looks take less. */
  stopUnheardMs: 90_000,
  /** How long a stop waits to see the end before it answers `stopping`: grace and a loaded machine's delay. */
  jobStopWaitMs: 15_000,
  /** A started supervisor reports within this, also on a machine under full load (Node starts in 0.1 to 3 s). */
  jobStartWaitMs: 20_000,
  /** An adopter lets the first submitter's supervisor report before it starts one itself. */
  jobAdoptWaitMs: 2_000,
  /** Between two looks at a record that a supervisor is about to write. */
  jobRecordPollMs: 25,
  /** A supervisor whose exit record cannot be written (disk full) tries so often, once a second. */
  jobExitRecordTries: 3_600,
  /** One read of a job's log: 20 h of progress lines, and little enough to classify at once. */
  logChunkBytesMax: 256 * 1024,
  ...rayLimits,
  /** A config is a page or two; more is a mistake or an attack on the parser. */
  configCharactersMax: 100_000,
  configAliasesMax: 20,
  /** One open bracket can make every later line wrong; nobody reads more. */
  configProblemsMax: 200,
  /** A lab that is told two weeks before has time to make, review and roll out the next signing key. */
  keyEndsSoonMs: 14 * 24 * 60 * 60 * 1_000,
  /** GitHub refuses a longer comment or body (422). */
  commentCharactersMax: 65_536,
  /** Commands that one comment may give, and lines of it that may be answered as wrong (issue *the gate*, Commands). */
  commentCommandsMax: 10,
  /** Markdown's blocks cost the square of the lines at worst: 6,000 lines of a lazy quote take half a second. */
  commentLinesMax: 6_000,
  /** Quotes and lists in each other: nobody reads the tenth, and the parser recurses. */
  commentDepthMax: 24,
  /** Quote signs and bullets of a whole comment: 3,000 take 0.2 s. */
  commentContainersMax: 3_000,
  /** Lines of dashes or equals signs: each makes the parser walk back through the comment; 250 take 0.3 s. */
  commentUnderlinesMax: 250,
  /** Bars, each of which may end a cell of a table: 8,000 take 0.2 s. */
  commentCellsMax: 8_000,
  /** Signs of emphasis, links, tags, code and escapes outside code blocks: 8,000 take 0.3 s. */
  commentSignsMax: 8_000,
  /** Sum of the squares of the emphasis signs of each paragraph: 1,000 open ones in one paragraph take 0.2 s. */
  commentSignPairsMax: 1_000_000,
  /** Sum of brackets times length of each paragraph: each may be looked ahead from; 15 million take 0.2 s. */
  commentLookaheadMax: 15_000_000,
  /** How long a claim, or a job that nobody has seen, is waited for before a person may give the run up. */
  giveUpPatienceMs: 10 * 60 * 1_000,
  /** An order that nobody claimed lapses: issue *the gate*, two hours. */
  orderLifetimeMs: 2 * 60 * 60 * 1_000,
  /** A dispatched workflow run shows up in the list within this; until then absence means nothing. */
  dispatchVisibleMs: 60_000,
  /** After this a launch that was dispatched and is in no list, or ended without a claim, is dispatched again. */
  redispatchPeriodMs: 10 * 60 * 1_000,
  /** Dispatches of one order: each is harmless, since the claim is used once, but not free. */
  dispatchesPerOrderMax: 3,
  /** Who did not append an event waits so long before publishing it: the appender publishes first. */
  publishGraceMs: 60_000,
  /** The card is edited no oftener than this unless the state changed: rarer than the 15 min that the architecture allows (section 4), for the 80 requests of a five-hour ferry. */
  cardPeriodMs: 20 * 60 * 1_000,
  /** The share of each active run in the installation's content budget (architecture, section 4). */
  cardPeriodPerRunMs: 18_000,
  /** Reconcile rounds of one wake: a run needs about six from a command to a dispatch. */
  reconcileRoundsMax: 25,
  /** A push that lost the race is tried again from the new state. */
  appendTriesMax: 8,
  /** Sealed ferries whose median a new one is held against (issue *daily ferry*, Close). */
  verdictHistoryRuns: 5,
  /** The last step may fall short of the configured one by this (marin.md section 3: 5155 on the bar, 5153 recorded). */
  finalStepSlack: 2,
  /** Comments, reviews or edits that are read of one thread: 50 pages. A thread with more since its run began is unknown. */
  threadCommentsMax: 5_000,
  /** Items of strangers that are recorded in one step: a flood takes few rounds, and one push stays small. */
  strangersPerStepMax: 50,
  /** A comment that was seen and stands in no list any more was deleted, unless the list lags behind (reads after writes: a minute). */
  commentGoneMs: 60_000,
  /** A stranger's commands get at most one answer a thread in this time. */
  strangerAnswerPeriodMs: 60 * 60 * 1_000,
  /** Text of an outside program that is kept in an event. */
  messageCharactersMax: 1_000,
  /** How far back a sweep without any record looks for unanswered commands: GitHub redelivers for three days. */
  sweepLookbackMs: 3 * 24 * 60 * 60 * 1_000,
  /** Slack when the sweep's start is taken from the newest event: clocks differ. */
  sweepSlackMs: 5 * 60 * 1_000,
  /** Stops, seals and other steps outside that failed are tried again on a wake, so many times in one process. */
  effectTriesMax: 3,
  /** Events nest about five deep; a hostile line must not overflow the stack. */
  logbookJsonDepthMax: 64,
  /** One event: a manifest of a large lab with hundreds of preconditions and trees is far below a megabyte. */
  logbookLineCharsMax: 1_000_000,
  /** One file of the logbook: 100,000 events of 600 bytes. */
  logbookFileBytesMax: 64 * 1024 * 1024,
  /** A git command that talks to the remote: the first fetch of a large repository without blobs takes a minute. */
  gitNetworkTimeoutMs: 300_000,
  /** A lock file of git older than this belongs to a process that was killed. */
  gitLockStaleMs: 10 * 60 * 1_000,
  /** An experiment file has hundreds of lines. A hostile file of this size is told apart in two or three seconds. */
  pythonFileCharsMax: 262_144,
  /** Deeper nesting than CPython's own parser takes in practice; the core recurses once or twice a level. */
  pythonDepthMax: 1_000,
  /** A permission that GitHub does not tell is asked for again on every wake; after this the person is told. */
  permissionPatienceMs: 10 * 60 * 1_000,
  /** Tries of one request to GitHub; writes are repeated only when GitHub said that it did not act. */
  requestTriesMax: 4,
  requestRetryMs: 500,
  /** Without a header that says how long: at least a minute (GitHub docs, rate limits). */
  requestLimitWaitMs: 60_000,
  /** A longer wait is left to the next wake: nothing is lost, what is owed is derivable. */
  requestWaitMsMax: 90_000,
  etagCacheEntries: 200,
  /** A log line that is read as a whole; XLA prints allocations of some kilobytes, nothing useful beyond. */
  logLineCharsMax: 16 * 1024,
  /** Tracker links of one log: one a launch, and a few that were only mentioned. */
  logTrackersMax: 20,
  /** Different eval keys of one log: Paloma has a few dozen sets with two values each. */
  logEvalKeysMax: 500,
  /** A record of metrics has some hundred keys; megabytes of them are not a summary. */
  metricsFileBytesMax: 4 * 1024 * 1024,
  metricsKeysMax: 5_000,
  metricsDepthMax: 16,
  /** Texts whose reading a process keeps: the bodies of all live runs and the config, a few hundred KB. */
  readingsRemembered: 50,
  /** How many earlier versions of the config are looked at for the last valid one. */
  configHistoryCommits: 20,
  /** Newest runs that a process reads: every live one and the last sealed five are among them. */
  runsReadMax: 40,
  /** Cells of the table that aligns two lists: 2,000 changed statements against 2,000, 32 MB for a moment. */
  alignCellsMax: 4_000_000,
  changeCacheEntries: 20,
  /** How often a sweep looks at pull requests without a run of their own; each look is a request, and one for each that moved. */
  otherPullsPeriodMs: 2 * 60 * 60 * 1_000,
  otherPullsMax: 20,
  /** How soon after a look the next event of a fork may ask for another one; the sweep makes up for it. */
  forkLookPeriodMs: 60_000,
  /** Cluster files of one branch that are linted, and how long each may be: a fork may send anything. */
  infraFilesMax: 30,
  infraCharactersMax: 100_000,
  /** Brackets and nested signs of such a file: Node's stack ends at some 1,000 levels of YAML. */
  infraNestingMax: 500,
  /** Groups, negations and links of one chain of commands: no set-up script nests so deep, and the reader recurses. */
  shellNestingMax: 200,
  /** Sealed runs whose tag a sweep looks at: those that the next verdict is compared with. */
  sealTagsLooked: 5,
  /** People whose permission one wake asks for: more waiting commands than that are answered on the next. */
  permissionsPerWakeMax: 20,
  configProblemsLogged: 20,
  /** Steps of publishing in one turn: comments that are owed, then the card. */
  publishStepsMax: 12,
  /** Values that a configured range may stand for; more are no micro-tweak. */
  candidateValuesMax: 50,
  /** Commits that a proposal lists; the body says how many more there are. */
  intervalCommitsMax: 30,
  /** Experiment issues that a proposal lists. */
  intervalIssuesMax: 20,
  /** A run that is over is looked at for so long, in case its last comment was not posted. */
  overLookMs: 24 * 60 * 60 * 1_000,
  /** Passes of one sweep, each of so many pages and threads: 10,000 comments; the next sweep goes on from there. */
  sweepPassesMax: 5,
  /** Receipts are counted over an hour, as GitHub counts its 500 content writes. */
  receiptPeriodMs: 60 * 60 * 1_000,
  /** Nobody types a command a minute for an hour. */
  receiptsPerPersonMax: 60,
  /** A stranger who asks ten times an hour has been heard. */
  receiptsPerStrangerMax: 10,
  /** All strangers together: an eighth of the installation's content writes. */
  receiptsToStrangersMax: 60,
  /** Pages of 100 comments that one pass of a sweep reads. */
  sweepPagesMax: 20,
  /** Second and third tries of one day's proposal, after the first was withdrawn. */
  proposalsPerDayMax: 20,
  /** All checks before one push together: a lab's pre-commit, type check and quick tests; the chat job lives ten minutes. */
  checksTimeoutMs: 6 * 60 * 1_000,
  /** A server waits so long for the lab's checks or its proposer; then they go on beside, and others are served. */
  helperPatienceMs: 2_000,
  /** Answers of such programs that are kept until their commands were looked at again. */
  helperAnswersMax: 20,
  /** The end of a check's output that people are shown: where the reason stands. */
  checkOutputShownChars: 1_500,
  /** A proposer's edits; a budget of knobs allows no more than this either. */
  proposerEditsMax: 20,
  /** A `/propose` that GitHub or git keep from being carried out is told so after this. */
  requestPatienceMs: 6 * 60 * 60 * 1_000,
  /** One text in the answer to a `/propose`: the end of a check's output stands in it. */
  answerTextChars: 2_000,
  /** Rounds of one wake for one `/propose`: each loses a race against another process. */
  requestRoundsMax: 4,
  /** Without a last ferry the context begins so many days ago, and the PR says that it is a fallback. */
  intervalFallbackDays: 7,
  intervalCommitsRead: 200,
  /** Later commits under the shipped paths that the freshness gate names; a proposal that is further behind is rebased anyway. */
  laterCommitsMax: 5,
  /** How often labelled issues are looked for that no webhook told of. */
  experimentLookPeriodMs: 6 * 60 * 60 * 1_000,
  /** Threads without a run that one pass of a sweep sends somebody to read: each is a request. */
  journalThreadsPerWakeMax: 40,
  /** Sets of acts that /why looks at, 0.1 ms each; a ferry on which a dozen things are wrong needs some hundred. */
  remedySetsMax: 3_000,
  /** Acts of one way to green: more than there can be gates, boxes and knobs of a ferry. */
  remedyStepsMax: 100,
  /** Names in one cell: enough to find somebody. */
  shownNamesMax: 5,
  /** GitHub gives a webhook ten seconds. */
  webhookTimeoutMs: 10_000,
  /** Wakes of one repository that wait; beyond it they fold into a sweep. */
  wakesWaitingMax: 200,
  /** How often the server looks for what webhooks did not bring. */
  sweepPeriodMs: 30 * 60 * 1_000,
  /** Difference to GitHub's clock that is taken for network delay and whole seconds. */
  clockSlackMs: 3_000,
  /** Text of somebody else in a sentence or table cell: enough to recognise it, too little to drown the rest. */
  shownTextCharsMax: 200,
  /** A message or command of a program in a block of its own. */
  shownBlockCharsMax: 1_500,
  /** Rows of one table in a comment, enough for every launch gate; all of them stand in the logbook. */
  shownRowsMax: 30,
  /** Rows of a backtest in a check's summary; the command line lists them all. */
  shownBacktestRowsMax: 50,
  /** Findings in the cluster files that a check's summary lists; as many as GitHub takes as annotations at once. */
  shownFindingsMax: 50,
  /** Incidents that the card lists, newest first. */
  shownIncidentsMax: 5,
  /** A title of an issue, a pull request or a check run. */
  titleCharsMax: 120,
  /** Points of loss that a run's state keeps; thinned by half when there are more. */
  tracePointsMax: 60,
  /** Points that a chart draws: more would touch each other at the width of a comment. */
  chartPointsMax: 40,
  /** A line needs three points to have a shape. */
  chartPointsMin: 3,
  /** CPython's tokenizer stops here (MAXLEVEL in Parser/lexer/state.h). */
  pythonBracketsMax: 200,
  /** CPython's tokenizer stops here (MAXINDENT in Parser/lexer/state.h). */
  pythonIndentsMax: 99,
  /** Decimal digits of an integer literal (sys.int_info.default_max_str_digits). */
  pythonIntegerDigitsMax: 4_300,
  /** Metrics in one line where the lab named no key metrics. */
  shownMetricsMax: 8,
  /** The whole manifest on the card, folded: a lab's has two to four thousand characters. */
  shownManifestCharsMax: 8_000,
  /** An installation token is replaced so long before its hour is over. */
  tokenSlackMs: 5 * 60 * 1_000,
  /** Pages of 100 installations, and of 100 repositories of each. */
  discoveryPagesMax: 50,
  /** How often the server asks where it is installed; a webhook from a new repository is heard at once. */
  discoveryPeriodMs: 6 * 60 * 60 * 1_000,
  /** Comments whose receipt this process remembers to have given. */
  acknowledgedMax: 500,
  /** A consent to change a cluster is used within an hour of when it was written, or given again (issue *Ray*, point 5). */
  consentLifetimeMs: 60 * 60 * 1_000,
  /** One list of machines; gcloud itself takes some seconds to start. */
  cloudReadTimeoutMs: 2 * 60 * 1_000,
  /** A deletion of a TPU VM is waited for by gcloud: minutes. */
  cloudDeleteTimeoutMs: 15 * 60 * 1_000,
  /** Machines of one zone: the largest labs have some hundreds. */
  cloudVmsMax: 2_000,
  /** Lines of a Ray task's traceback below its head, in which what is raised belongs to that task. */
  tracebackLinesMax: 100,
  /** Workers that one signature was seen on: one is a bad node, two are a question for a person. */
  failureWorkersMax: 5,
  /** So long the machines are asked for again before a person is told that they cannot be listed. */
  badNodePatienceMs: 10 * 60 * 1_000,
  /** The time over which a config's own consents are counted. */
  preApprovalPeriodMs: 24 * 60 * 60 * 1_000,
  /** From a deletion until the machine is out of the list; gcloud has waited for most of it. */
  cloudGoneWaitMs: 10 * 60 * 1_000,
  /** Between two looks at the machines while one is waited for. */
  cloudLookPeriodMs: 30_000,
  /** Proposals for one attempt: a consent that fell is asked for anew, and not for ever. */
  nodeProposalsMax: 3,
  /** Newest ferry threads that are looked at for a card where there is no logbook: one is enough, the newest may have none yet. */
  lostLogbookThreadsMax: 3,
  /** An empty folder takes some kilobytes itself; downloads that went astray take gigabytes. */
  misplacedBytesMin: 1024 * 1024,
  /** One look at a worker over ssh: a first connection takes 20 s, du over a full boot disk a minute or two. */
  sshTimeoutMs: 180_000,
  /** A mount table has some dozen lines, du of a folder of temporary files some thousand. */
  remoteOutputBytesMax: 1024 * 1024,
  /** Workers that are asked over ssh at one time. */
  sshParallelMax: 4,
  /** The exact steps of a proposal, folded: the command that clears a mount point has some 3,000. */
  shownStepsCharsMax: 12_000,
  /** Clearing 100 GB of large files takes seconds, of small ones minutes; `init-worker` pulls an image of some GB. */
  diskChangeTimeoutMs: 30 * 60 * 1_000,
  /** After `init-worker` the mount and Ray come back within minutes. */
  diskVerifyWaitMs: 10 * 60 * 1_000,
  diskVerifyPeriodMs: 30_000,
  /** The largest folders of a worker that are recorded and shown. */
  shownFoldersMax: 5,
  /** Workers that one scan asks; of a cluster with more in need the rest is told from the scan alone. */
  inspectedWorkersMax: 20,
  /** A scan asks every worker of a cluster over ssh, 32 at one time. */
  diskScanTimeoutMs: 30 * 60 * 1_000,
} as const;
