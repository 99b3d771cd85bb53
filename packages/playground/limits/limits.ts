/** Every limit of the playground in one place: GitHub's own (with its source) and those that keep memory bounded. */

/** GitHub's documented limits (docs.github.com/rest and /apps), held as GitHub holds them. */
export const github = {
  /** A comment, issue or review body of more characters is refused with 422. */
  bodyCharacters: 65_536,
  titleCharacters: 256,
  labelNameCharacters: 50,
  pageSizeDefault: 30,
  pageSizeMax: 100,
  installationTokenLifeMs: 60 * 60 * 1000,
  workflowTokenLifeMs: 24 * 60 * 60 * 1000,
  /** An App's JWT may not live longer than ten minutes. */
  jwtLifeMs: 10 * 60 * 1000,
  /** Clocks may disagree by this much before `iat` counts as the future. */
  jwtSkewMs: 60 * 1000,
  /** Requests an hour: installation and user tokens, and a workflow's token. */
  requestsPerHour: 5_000,
  workflowRequestsPerHour: 1_000,
  anonymousRequestsPerHour: 60,
  rateWindowMs: 60 * 60 * 1000,
  /** Secondary limits (docs: rate limits for the REST API); the two on content are shared with the web page. */
  contentPerMinute: 80,
  contentPerHour: 500,
  pointsPerMinute: 900,
  graphqlPointsPerMinute: 2_000,
  requestsAtOnce: 100,
  /** Without a better reason to name: wait at least a minute. */
  secondaryWaitMs: 60 * 1000,
  annotationsPerRequest: 50,
  checkActionsPerRun: 3,
  checkActionLabelCharacters: 20,
  checkActionDescriptionCharacters: 40,
  checkActionIdentifierCharacters: 20,
  labelsPerRequest: 100,
  assigneesPerThread: 10,
  /** docs: pinning an issue to your repository. */
  pinnedIssues: 3,
  /** docs.github.com/rest/deployments: of a deployment and of a status. */
  deploymentDescriptionCharacters: 140,
  deploymentTaskCharacters: 128,
  /** docs.github.com/rest/search: a query is no longer, and no more results are shown. */
  searchCharacters: 256,
  searchResults: 1_000,
  filesPerPull: 3_000,
  filesPerComparison: 300,
  commitsPerPull: 250,
  dispatchInputs: 25,
  /** All inputs of a dispatch together (docs: events, workflow_dispatch). */
  dispatchInputCharacters: 65_535,
  /** The receiver of a webhook must answer within this time. */
  webhookAnswerMs: 10_000,
  /** An event with a larger payload is not delivered (docs: webhook events and payloads, payload cap). */
  webhookPayloadBytes: 25 * 1024 * 1024,
  /** A push of more tags than this makes no event (docs: webhook events, `push` and `create`). */
  tagsPerPushEvent: 3,
  /** A delivery can be sent again for this long (docs: redelivering webhooks; three days on github.com). */
  redeliveryWindowMs: 3 * 24 * 60 * 60 * 1000,
  /** Entries of a directory that the contents API lists. */
  directoryEntries: 1_000,
  /** Bytes of a file that the contents API gives as base64; larger ones only raw. */
  contentBytes: 1024 * 1024,
  treeEntries: 100_000,
} as const;

/** Bounds of the playground itself. */
export const playground = {
  /** Bytes of a request body that the API reads. */
  requestBytes: 32 * 1024 * 1024,
  /** Brackets that a request body may have open at once; what walks through a body does it by recursion. */
  bodyDepth: 500,
  /** Deliveries kept in the log; older ones are forgotten. */
  deliveriesKept: 1_000,
  /** Characters of an answer kept with its delivery. */
  deliveryAnswerCharacters: 4_096,
  /** Webhooks on the way at the same time. */
  webhooksInFlight: 8,
  /** Commits that a walk through history looks at. */
  commitsWalked: 10_000,
  /** Unserved requests remembered. */
  unservedKept: 500,
  /** Tokens of a GraphQL query. */
  graphqlTokens: 5_000,
  /** Texts of queries whose parse and check are kept: a client asks with a handful. */
  graphqlTextsRemembered: 64,
  /** Pages that listen for live events at the same time. */
  eventListeners: 64,
  /** Characters of one job's log that are kept. */
  logCharacters: 4 * 1024 * 1024,
} as const;

/** Bounds of the git stores and of git over HTTP. */
export const git = {
  /** A CGI program's header block; git writes a few hundred bytes. */
  cgiHeaderBytes: 65_536,
  /** A client that neither sends nor takes a byte for this long is cut off; it would hold the repository's lock. */
  transferIdleMs: 60_000,
  /** Output of one git program that is read as a whole (a diff, a blob); more is an error, never a part. */
  outputBytes: 256 * 1024 * 1024,
  /** Parsed commits and trees that one store remembers; they never change, so only memory is at stake. */
  objectsCached: 5_000,
  /** Answers of one kind (blobs, diffs, merge bases, logs) that one store remembers, and the largest: 16 MB a kind at most. */
  answersKept: 250,
  answerKeptBytes: 64 * 1024,
  /** Attempts of one ref update against writers outside this process, before it counts as stale. */
  refAttempts: 5,
  /** Edit distance in lines above which a file counts as wholly replaced: the line diff is O(lines × distance). */
  diffEditLines: 10_000,
  /** Pairs of removed and added files compared for similarity, as git's own default of 1,000 × 1,000. */
  renamePairs: 1_000_000,
  /** Files in one directory that is imported as a commit. */
  importedFiles: 20_000,
} as const;

/** Limits of Actions: GitHub's documented ones (docs.github.com/actions, usage limits) and the runner's own. */
export const actions = {
  jobTimeoutMinutes: 360,
  /** A job ends after this time whatever `timeout-minutes` says: six hours on GitHub's machines, five days on own ones. */
  hostedJobMinutes: 360,
  selfHostedJobMinutes: 5 * 24 * 60,
  /** docs.github.com/rest/actions/workflow-runs, "Download workflow run logs". */
  logAddressLifeMs: 60_000,
  /** A run is cancelled after this time, waiting and approval counted. */
  runLifeMs: 35 * 24 * 60 * 60 * 1000,
  /** Runs are run again so long after they were made, and so often (docs: re-running workflows and jobs). */
  rerunWindowMs: 30 * 24 * 60 * 60 * 1000,
  attempts: 50,
  /** A job waits this long for a runner, then it fails. */
  queueWaitMs: 24 * 60 * 60 * 1000,
  /** Runs or jobs that `queue: max` lets wait in one concurrency group. */
  concurrencyPending: 100,
  /** Workflows that call workflows (docs: reusing workflows). */
  callDepth: 10,
  workflowRunChain: 3,
  /** Composite actions in composite actions; the steps of the job are the first of ten layers (actions/runner, Constants: CompositeActionsMaxDepth). */
  compositeDepth: 9,
  /** Jobs of one run, called workflows included. */
  jobsPerRun: 256,
  /** Workflow files that are read from one commit. */
  workflowFiles: 200,
  /** Commits whose workflow files are kept in memory. */
  commitsRemembered: 50,
  workflowFileBytes: 512 * 1024,
  /** Workflow files, and manifests of actions, whose meaning is kept by their text. */
  filesRemembered: 100,
  /** A cancelled process is interrupted, then terminated, then killed after these times (actions/runner, ProcessInvoker). */
  interruptGraceMs: 7_500,
  terminateGraceMs: 2_500,
  /** A cancelled job's remaining `always()` steps end after this time. */
  cancelledJobGraceMs: 5 * 60 * 1000,
  /** Output that a step's descendants still write after it ended is read this long. */
  outputDrainMs: 1_000,
  /** Bytes of GITHUB_OUTPUT, GITHUB_ENV and the like that are read from one step. */
  commandFileBytes: 1024 * 1024,
  summaryBytes: 1024 * 1024,
  /** Outputs of one job and of a whole run, measured in UTF-16 (docs: passing information between jobs). */
  jobOutputBytes: 1024 * 1024,
  runOutputBytes: 50 * 1024 * 1024,
  /** Characters of one log line; what is longer is cut. */
  logLineCharacters: 64 * 1024,
  /** Of each level: notices, warnings, errors. */
  annotationsPerStep: 10,
  annotationsPerJob: 50,
  /** Fired schedules are looked for at least this often. */
  schedulePollMs: 2_000,
  /** Cron lines whose next moment is remembered; more than a world has, so that forgetting them all is rare. */
  cronLinesRemembered: 1_000,
  settleRounds: 1_000,
} as const;

/** Limits of artifacts and caches: GitHub's documented ones, and smaller rooms for bytes, which lie on one machine here. */
export const results = {
  /** Of one artifact or cache; a cache of less is sent in one request (actions/toolkit, uploadUtils). */
  blobBytes: 128 * 1024 * 1024,
  blocks: 50_000,
  /** Of all uploads under way together; they wait in memory for their list. */
  stagedBytes: 512 * 1024 * 1024,
  uploadAddressLifeMs: 60 * 60 * 1000,
  downloadAddressLifeMs: 10 * 60 * 1000,
  /** docs: workflow artifacts and actions/upload-artifact. */
  artifactsPerJob: 500,
  artifactsListed: 1_000,
  artifactNameCharacters: 256,
  artifactLifeMs: 90 * 24 * 60 * 60 * 1000,
  /** Of a repository: over it an artifact is refused, and a cache pushes out those that were used least lately. */
  artifactBytes: 1024 * 1024 * 1024,
  cacheBytes: 1024 * 1024 * 1024,
  caches: 1_000,
  cachesBegun: 50,
  /** docs: dependency caching reference. */
  cacheUnusedMs: 7 * 24 * 60 * 60 * 1000,
  cacheKeyCharacters: 512,
  /** Ten keys with the first. */
  restoreKeys: 9,
} as const;

/** Bounds of the faults that can be switched on (playground/faults). */
export const faults = {
  /** Faults that are on at the same time. */
  atOnce: 32,
  routeCharacters: 200,
  /** How slow, late, stale or skewed a fault may be, and is unless it says so: GitHub's replicas lag by seconds to a minute. */
  durationMs: 48 * 60 * 60 * 1000,
  durationDefaultMs: 60 * 1000,
  /** A secondary limit lets go after this time (docs: wait at least one minute). */
  stormMs: 60 * 1000,
  /** Strikes remembered, for whoever wants to see what was injected. */
  strikesKept: 100,
  /** Answers remembered for stale reads. */
  answersKept: 500,
  /** A webhook that another one should overtake goes by itself after this time. */
  overtakenMs: 10 * 1000,
} as const;

/** Bounds of `npm start`. */
export const ray = {
  /** A head is up in 7 s on a quiet machine, in a minute on a busy one. */
  startTimeoutMs: 120_000,
  startsMax: 3,
  pollMs: 200,
  /** One look whether it answers. */
  answerMs: 5_000,
  endTimeoutMs: 30_000,
  /** The least that Ray takes is 75 MB; nothing here uses it. */
  objectStoreBytes: 80_000_000,
} as const;

export const slurm = {
  /** Four seconds on a quiet machine. */
  startTimeoutMs: 60_000,
  pollMs: 200,
  /** A command waits nine seconds for a controller that is down. */
  answerMs: 15_000,
  endTimeoutMs: 30_000,
  /** What munge makes itself, in bytes. */
  keyBytes: 1_024,
  /** The default of five minutes is longer than any test. */
  minJobAgeS: 60,
  /** From SIGTERM to SIGKILL; the default is half a minute. */
  killWaitS: 5,
} as const;

export const iris = {
  /** Each daemon is up in 5 s on a quiet machine: most of it is Python's imports. */
  startTimeoutMs: 120_000,
  pollMs: 200,
  answerMs: 10_000,
  endTimeoutMs: 30_000,
  /** Told to its scheduler, whatever the machine has: jobs of a rehearsal sleep most of the time. */
  workerCores: 8,
} as const;

export const rehearsal = {
  /** A job's supervisor gives its command ten seconds to end by itself before it kills it. */
  jobEndWaitMs: 12_000,
  jobEndPollMs: 100,
  /** One Ctrl-C can arrive twice within moments: from the terminal, and from npm. */
  secondSignalMs: 2_000,
} as const;

/** Of Vast.ai (docs.vast.ai and its client), and of the one that is rehearsed. */
export const vast = {
  /** The list gives no more at once, whatever is asked for. */
  pageMax: 25,
  offersMax: 64,
  imageCharacters: 1_024,
  /** Not in the reference of the API; its guides ask for no more. */
  onstartCharacters: 4_048,
  diskGbMin: 1,
  diskGbDefault: 10,
  logLinesDefault: 1_000,
  /** Dollars that a new account has. */
  credit: 100,
  advanceEveryMs: 50,
} as const;
