/** The bounds of the logbook and of git, a part of `limits`, and why each is what it is. */

export const logbookLimits = {
  /** A push that lost the race is tried again from the new state. */
  appendTriesMax: 8,
  /** Text of an outside program that is kept in an event. */
  messageCharactersMax: 1_000,
  /** The command of a job that somebody else has launched: a sweep's is some hundred, and it is shown whole or not at all. */
  entrypointCharactersMax: 4_000,
  /** No secret is longer as it is written down: a key of a Google account is 2.4 kB, in an address three times that. */
  secretCharactersMax: 8 * 1024,
  /** Events nest about five deep; a hostile line must not overflow the stack. */
  logbookJsonDepthMax: 64,
  /** One event: a manifest of a large lab with hundreds of preconditions and trees is far below a megabyte. */
  logbookLineCharsMax: 1_000_000,
  /** One file that is read at all: some hundred times what ferrybot writes, and what one git command may print. */
  logbookFileBytesMax: 64 * 1024 * 1024,
  /** Entries after which a run's events go on in another file: an append rewrites 64 on average, and a month of looks is 23 files. */
  logbookFileEntriesMax: 128,
  /** The same for long entries: 128 looks are some 130,000 characters, a proposal of a large lab alone may be more. */
  logbookFileCharsMax: 256 * 1024,
  /** Runs that a process reads of those that were launched and are not over: as many as one installation watches. */
  liveRunsReadMax: 1_000,
  /** Runs that a process reads of each lane's that were launched and are over: a month of a daily one, with some of its days twice. As many of all lanes' that were never launched. */
  runsReadMax: 40,
  /** Days before a month's first to which a run of its first week may belong: the week began in the month before. */
  periodReachDays: 6,
  /** Points of loss, and of pace, that a run's state keeps; thinned by half when there are more. */
  tracePointsMax: 60,
  /** A git command that talks to the remote: the first fetch of a large repository without blobs takes a minute. */
  gitNetworkTimeoutMs: 300_000,
  /** A lock file of git older than this belongs to a process that was killed. */
  gitLockStaleMs: 10 * 60 * 1_000,
  /** Message of a mark: a signed statement of some 500 bytes, and the names of files that were broken then. */
  markBytesMax: 8 * 1024,
  /** Tags that are read in one piece, each as long as a mark at most: what comes back stays below `logbookFileBytesMax`. */
  tagsReadAtOnce: 4_000,
  /** Entries of a file without a mark, after which the next append makes one: what a fresh process reads of the history. */
  entriesPerMarkMax: 256,
  /** Bytes that are hashed to know versions of a file by their ids: 256 versions of 2,880 entries are 0.6 GB, half a second. */
  versionBytesHashedMax: 1024 * 1024 * 1024,
  /** Contents that are read in one piece: as many files of ferrybot's as stay well below `logbookFileBytesMax`. */
  blobsReadAtOnce: 256,
  /** Contents that are asked of the remote together; of fewer git asks for each when it reads it. */
  blobsFetchedTogetherMin: 4,
} as const;
