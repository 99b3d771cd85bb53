/** The bounds of talking to Iris, and why each is what it is. */

export const irisLimits = {
  /** One answer: ten thousand lines of a log of a few hundred characters each. */
  answerBytesMax: 32 * 1024 * 1024,
  /** The command line of Iris takes no larger package (lib/iris, bundle.py); its controller keeps each one. */
  zipBytesMax: 25 * 1024 * 1024,
  /** A launch whose answer was lost is looked for at once and after these pauses, and sent again after each look that found nothing. */
  lookAgainDelaysMs: [0, 1_000, 3_000],
  /** Between two looks at a job that was told to stop; the worker hears of it within a second. */
  stopPollMs: 1_000,
  /** Controllers that began within the same minute, with one pid on one host, pass for one. */
  sessionMinuteMs: 60_000,
  /** Of one controller the beginning that is reckoned from its uptime moves by no more than a slow answer takes. */
  uptimeSlackMs: 10_000,
  /**
   * KILLED is written before the process ends. A worker that hears from its controller ends it within half a minute; one
   * that hears nothing ends all of its tasks after 600 s. A minute more than both, and nothing of it can run any longer.
   */
  killedCertainMs: 690_000,
  /** Jobs of one list; Iris gives no more. */
  jobsPerList: 500,
  /** Jobs of one state that are looked through for those that name a run: four requests. */
  jobsListedMax: 2_000,
  /** Lines of one request for a log; Iris gives 1,000 where nothing is said. */
  linesPerRequest: 10_000,
  /** Requests of one read: five million lines; more is read by the next one. */
  requestsPerRead: 500,
  /** After the end, lines are looked for until two answers this far apart are empty: the state is told before the last lines. */
  lastLinesPauseMs: 1_000,
  /** The last lines of a killed job, among which its own word of the end stands. */
  lastLines: 50,
  /** What stays in memory of a log that was handed on: the unfinished line is asked for again. */
  lookbackBytes: 64 * 1024,
  /** Logs that one process keeps its place in; the one that was asked least lately gives way and is read anew. */
  readersKept: 64,
} as const;
