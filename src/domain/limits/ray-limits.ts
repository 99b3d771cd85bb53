/** The bounds of talking to Ray, a part of `limits`, and why each is what it is. */

export const rayLimits = {
  /** One request to a Ray dashboard: a busy head lists a thousand jobs in two or three seconds. */
  rayRequestTimeoutMs: 30_000,
  /** The end of the year 9999, the last that RFC 3339 can name; a time beyond it is none. */
  rayMomentMaxMs: 253_402_300_799_999,
  /** A whole answer: a thousand jobs, each with the 20,000 characters of log that Ray puts in a failure's message. */
  rayAnswerBytesMax: 32 * 1024 * 1024,
  /** Of an error's text: a traceback of Ray's has two or three thousand characters. */
  rayAnswerTextMax: 20_000,
  /** A submit whose answer was lost is looked for at once and after these pauses: the head takes a job within two seconds. */
  rayLookAgainDelaysMs: [0, 1_000, 3_000],
  /** Between two looks at a job that was told to stop; Ray gives it three seconds before SIGKILL. */
  rayStopPollMs: 500,
  /** The dashboard takes no larger body (ray_constants.DASHBOARD_CLIENT_MAX_SIZE). */
  rayPackageBytesMax: 100 * 1024 * 1024,
  /** Before it is a zip; it is made in memory, and code has a tenth of this. */
  packageTreeBytesMax: 256 * 1024 * 1024,
  /** A lab ships hundreds of files; more is a data set or an environment by mistake. */
  packageFilesMax: 20_000,
  /** A frame of the log's socket is ten lines; a longer one is one huge line, which the whole log gives in pieces. */
  rayTailFrameBytesMax: 1024 * 1024,
  /** The head looks for the job for a second before it sends the first frame. */
  rayTailFirstMs: 3_000,
  /** Frames that follow each other at once come within this; at the end of the log the head pauses for two seconds. */
  rayTailQuietMs: 500,
  /** A socket that fails so often for a job is not opened again: a proxy that knows no WebSocket, or lines too long. */
  rayTailTriesMax: 3,
  /** Logs that one process follows at once; each costs the head an open file and two connections. */
  rayTailsOpenMax: 64,
  /** Time for one chunk of a log: a job that never pauses, or a connection that drips, gives what it gave by then. */
  rayLogChunkMs: 10_000,
  /** Tries of one read for the whole log. */
  rayLogTriesMax: 2,
  /** What stays in memory of a log that was handed on: the unfinished line is asked for again (logLineCharsMax, in UTF-8). */
  rayLogLookbackBytes: 64 * 1024,
  /** What a script of the lab may write in one call; a list of 10,000 jobs with their variables is some megabytes. */
  scriptOutputBytesMax: 64 * 1024 * 1024,
  /** Of each output, in which the reason of a failure is looked for: a traceback, and what was logged before it. */
  scriptSaidCharsMax: 64 * 1024,
  /** Lines that a script is asked for where the whole log is meant; a log with more cannot be read through it. */
  scriptLogLinesMax: 5_000_000,
  /** What the scripts ask Ray for (`--limit=10000`, scripts/ray/cluster.py): a list of so many may lack one. */
  rayListedJobsMax: 10_000,
  /** A tunnel that answered is taken for sound so long; then somebody looks again. */
  tunnelLookPeriodMs: 15_000,
  /** Between two looks whether a tunnel that was started listens. */
  tunnelPollMs: 250,
  /** One look whether anything answers through it. */
  tunnelAnswerMs: 5_000,
  /** Starts in a row that came to nothing; then it rests, and its calls are unknown. */
  tunnelStartsMax: 3,
  /** How long it rests. */
  tunnelRestMs: 5 * 60 * 1_000,
} as const;
