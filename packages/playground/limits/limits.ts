/** Every limit of the playground in one place: GitHub's own (with its source) and those that bound memory. */

/** GitHub's documented limits (docs.github.com/rest and /apps), enforced as GitHub enforces them. */
export const github = {
  /** A longer body of a comment, issue or review is refused with 422. */
  bodyCharacters: 65_536,
  titleCharacters: 256,
  labelNameCharacters: 50,
  pageSizeDefault: 30,
  pageSizeMax: 100,
  installationTokenLifeMs: 60 * 60 * 1000,
  manifestCodeLifeMs: 60 * 60 * 1000,
  workflowTokenLifeMs: 24 * 60 * 60 * 1000,
  /** Maximum lifetime of an App's JWT: ten minutes. */
  jwtLifeMs: 10 * 60 * 1000,
  /** Clock skew that is tolerated before `iat` counts as the future. */
  jwtSkewMs: 60 * 1000,
  /** Requests per hour: installation and user tokens, and a workflow's token. */
  requestsPerHour: 5_000,
  workflowRequestsPerHour: 1_000,
  anonymousRequestsPerHour: 60,
  rateWindowMs: 60 * 60 * 1000,
  /**
   * Secondary limits (docs: rate limits for the REST API). The web page counts against the two limits on content, too.
   */
  contentPerMinute: 80,
  contentPerHour: 500,
  pointsPerMinute: 900,
  graphqlPointsPerMinute: 2_000,
  requestsAtOnce: 100,
  /** The default wait: at least a minute. */
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
  /** docs.github.com/rest/deployments: limits for a deployment and for a status. */
  deploymentDescriptionCharacters: 140,
  deploymentTaskCharacters: 128,
  /** docs.github.com/rest/search: maximum length of a query and maximum number of results. */
  searchCharacters: 256,
  searchResults: 1_000,
  filesPerPull: 3_000,
  filesPerComparison: 300,
  commitsPerPull: 250,
  dispatchInputs: 25,
  /** All inputs of a dispatch combined (docs: events, workflow_dispatch). */
  dispatchInputCharacters: 65_535,
  /** The receiver of a webhook must answer within this time. */
  webhookAnswerMs: 10_000,
  /** An event with a larger payload is not delivered (docs: webhook events and payloads, payload cap). */
  webhookPayloadBytes: 25 * 1024 * 1024,
  /** A push of more tags than this creates no event (docs: webhook events, `push` and `create`). */
  tagsPerPushEvent: 3,
  /** How long a delivery can be sent again (docs: redelivering webhooks; three days on github.com). */
  redeliveryWindowMs: 3 * 24 * 60 * 60 * 1000,
  /** Entries of a directory that the contents API lists. */
  directoryEntries: 1_000,
  /** Maximum size for base64 in the contents API; larger files are served only raw. */
  contentBytes: 1024 * 1024,
  treeEntries: 100_000,
} as const;

/** Limits of the playground itself. */
export const playground = {
  /** Maximum size of a request body. */
  requestBytes: 32 * 1024 * 1024,
  /** Maximum bracket depth of a request body, because bodies are processed recursively. */
  bodyDepth: 500,
  /** Deliveries kept in the log; older ones are deleted. */
  deliveriesKept: 1_000,
  /** Characters of an answer kept with its delivery. */
  deliveryAnswerCharacters: 4_096,
  /** Webhooks in flight at the same time. */
  webhooksInFlight: 8,
  /** Commits that a walk through history visits. */
  commitsWalked: 10_000,
  /** Unserved requests that are recorded. */
  unservedKept: 500,
  /** Tokens of a GraphQL query. */
  graphqlTokens: 5_000,
  /** Cached query texts with their parse and validation: a client sends only a few different ones. */
  graphqlTextsRemembered: 64,
  /** Pages that can listen for live events at the same time. */
  eventListeners: 64,
  /** Characters kept of one job's log. */
  logCharacters: 4 * 1024 * 1024,
} as const;

/** Limits of the git stores and of git over HTTP. */
export const git = {
  /** A CGI program's header block; git writes a few hundred bytes. */
  cgiHeaderBytes: 65_536,
  /**
   * A client that neither sends nor receives a byte for this long is disconnected, because it holds the repository's
   * lock.
   */
  transferIdleMs: 60_000,
  /**
   * Maximum output of one git program that is read as a whole (a diff, a blob). More is an error, never a truncated
   * result.
   */
  outputBytes: 256 * 1024 * 1024,
  /** Parsed commits and trees that one store caches. They never change, so only memory is limited. */
  objectsCached: 5_000,
  /**
   * Cached answers of one kind (blobs, diffs, merge bases, logs) per store, and the largest one: at most 16 MB per
   * kind.
   */
  answersKept: 250,
  answerKeptBytes: 64 * 1024,
  /** Attempts of one ref update against writers outside this process, before it counts as stale. */
  refAttempts: 5,
  /** Edit distance in lines above which a file counts as entirely replaced: the line diff is O(lines × distance). */
  diffEditLines: 10_000,
  /** Pairs of removed and added files compared for similarity, as git's own default of 1,000 × 1,000. */
  renamePairs: 1_000_000,
  /** Maximum number of files in a directory that is imported as a commit. */
  importedFiles: 20_000,
} as const;

/** Limits of Actions: GitHub's documented ones (docs.github.com/actions, usage limits) and the runner's own. */
export const actions = {
  jobTimeoutMinutes: 360,
  /**
   * A job ends after this time regardless of `timeout-minutes`: six hours on GitHub's machines, five days on
   * self-hosted ones.
   */
  hostedJobMinutes: 360,
  selfHostedJobMinutes: 5 * 24 * 60,
  /** docs.github.com/rest/actions/workflow-runs, "Download workflow run logs". */
  logAddressLifeMs: 60_000,
  /** A run is cancelled after this time, including waiting and approval. */
  runLifeMs: 35 * 24 * 60 * 60 * 1000,
  /** How long after its creation, and how often, a run can be re-run (docs: re-running workflows and jobs). */
  rerunWindowMs: 30 * 24 * 60 * 60 * 1000,
  attempts: 50,
  /** A job that waits this long for a runner fails. */
  queueWaitMs: 24 * 60 * 60 * 1000,
  /** Maximum number of waiting runs or jobs in one concurrency group with `queue: max`. */
  concurrencyPending: 100,
  /** Maximum depth of workflows that call workflows (docs: reusing workflows). */
  callDepth: 10,
  workflowRunChain: 3,
  /**
   * Maximum depth of nested composite actions; the job's steps are the first of ten layers (actions/runner, Constants:
   * CompositeActionsMaxDepth).
   */
  compositeDepth: 9,
  /** Jobs of one run, including called workflows. */
  jobsPerRun: 256,
  /** Workflow files that are read from one commit. */
  workflowFiles: 200,
  /** Commits whose workflow files are cached. */
  commitsRemembered: 50,
  workflowFileBytes: 512 * 1024,
  /** Parsed workflow files and action manifests that are cached, by their text. */
  filesRemembered: 100,
  /**
   * Delays after which a cancelled process is interrupted, then terminated, then killed (actions/runner,
   * ProcessInvoker).
   */
  interruptGraceMs: 7_500,
  terminateGraceMs: 2_500,
  /** How long the `always()` steps of a cancelled job may run. */
  cancelledJobGraceMs: 5 * 60 * 1000,
  /** How long to read output that a step's descendants write after the step ended. */
  outputDrainMs: 1_000,
  /** Maximum size of GITHUB_OUTPUT, GITHUB_ENV and similar files of one step. */
  commandFileBytes: 1024 * 1024,
  summaryBytes: 1024 * 1024,
  /** Maximum outputs of one job and of a whole run, measured in UTF-16 (docs: passing information between jobs). */
  jobOutputBytes: 1024 * 1024,
  runOutputBytes: 50 * 1024 * 1024,
  /** Maximum length of a log line; longer lines are cut. */
  logLineCharacters: 64 * 1024,
  /** Maximum per level: notices, warnings, errors. */
  annotationsPerStep: 10,
  annotationsPerJob: 50,
  /** How often due schedules are checked, at least. */
  schedulePollMs: 2_000,
  /** Cron lines with a cached next moment. A world has fewer, so the cache is rarely cleared. */
  cronLinesRemembered: 1_000,
  settleRounds: 1_000,
} as const;

/**
 * Limits of artifacts and caches: GitHub's documented ones, with smaller sizes because the bytes are stored on one
 * machine.
 */
export const results = {
  /**
   * Maximum size of one artifact or cache. A smaller cache is uploaded in one request (actions/toolkit, uploadUtils).
   */
  blobBytes: 128 * 1024 * 1024,
  blocks: 50_000,
  /** Maximum size of all active uploads combined; they wait in memory for their block list. */
  stagedBytes: 512 * 1024 * 1024,
  uploadAddressLifeMs: 60 * 60 * 1000,
  downloadAddressLifeMs: 10 * 60 * 1000,
  /** docs: workflow artifacts and actions/upload-artifact. */
  artifactsPerJob: 500,
  artifactsListed: 1_000,
  artifactNameCharacters: 256,
  artifactLifeMs: 90 * 24 * 60 * 60 * 1000,
  /** Maximum per repository. Above it an artifact is refused, and a cache evicts the least recently used ones. */
  artifactBytes: 1024 * 1024 * 1024,
  cacheBytes: 1024 * 1024 * 1024,
  caches: 1_000,
  cachesBegun: 50,
  /** docs: dependency caching reference. */
  cacheUnusedMs: 7 * 24 * 60 * 60 * 1000,
  cacheKeyCharacters: 512,
  /** Ten keys including the first. */
  restoreKeys: 9,
} as const;

/** Limits of the faults that can be switched on (playground/faults). */
export const faults = {
  /** Maximum number of active faults. */
  atOnce: 32,
  routeCharacters: 200,
  /** The maximum and the default of a fault's delay, age or skew: GitHub's replicas lag by seconds to a minute. */
  durationMs: 48 * 60 * 60 * 1000,
  durationDefaultMs: 60 * 1000,
  /** Duration of a secondary limit (docs: wait at least one minute). */
  stormMs: 60 * 1000,
  /** Strikes kept in the list of recent strikes. */
  strikesKept: 100,
  /** Answers kept for stale reads. */
  answersKept: 500,
  /** A webhook that waits to be overtaken is sent after this time anyway. */
  overtakenMs: 10 * 1000,
} as const;

/** Limits of `npm start`. */
export const ray = {
  /** A head starts in 7 s on an idle machine, in a minute on a busy one. */
  startTimeoutMs: 120_000,
  startsMax: 3,
  pollMs: 200,
  /** Timeout of one health check. */
  answerMs: 5_000,
  endTimeoutMs: 30_000,
  /** Ray requires at least 75 MB; nothing here uses it. */
  objectStoreBytes: 80_000_000,
} as const;

export const slurm = {
  /** Takes four seconds on an idle machine. */
  startTimeoutMs: 60_000,
  pollMs: 200,
  /** A command waits nine seconds for a controller that is down. */
  answerMs: 15_000,
  endTimeoutMs: 30_000,
  /** The key size that munge itself uses, in bytes. */
  keyBytes: 1_024,
  /** The default of five minutes is longer than any test. */
  minJobAgeS: 60,
  /** From SIGTERM to SIGKILL; the default is half a minute. */
  killWaitS: 5,
} as const;

export const iris = {
  /** Each daemon starts in 5 s on an idle machine; most of that is Python's imports. */
  startTimeoutMs: 120_000,
  pollMs: 200,
  answerMs: 10_000,
  endTimeoutMs: 30_000,
  /** The number reported to its scheduler, on any machine: rehearsal jobs mostly sleep. */
  workerCores: 8,
} as const;

export const rehearsal = {
  /** A job's supervisor waits ten seconds for its command to end before it kills it. */
  jobEndWaitMs: 12_000,
  jobEndPollMs: 100,
  /** One Ctrl-C can arrive twice in a short time: from the terminal, and from npm. */
  secondSignalMs: 2_000,
} as const;

/** Limits of Vast.ai (docs.vast.ai and its client), and of the rehearsal's own Vast.ai. */
export const vast = {
  /** Maximum page size, even if more is requested. */
  pageMax: 25,
  offersMax: 64,
  imageCharacters: 1_024,
  /** Not in the API reference, but its guides stay below this size. */
  onstartCharacters: 4_048,
  diskGbMin: 1,
  diskGbDefault: 10,
  logLinesDefault: 1_000,
  /** Credit of a new account in dollars. */
  credit: 100,
  advanceEveryMs: 50,
} as const;
