/** The bounds of talking to GitHub, a part of `limits`, and why each is what it is. */

export const githubLimits = {
  /** Pages of 100 annotations of one check run that are read before more are added: three rounds of `annotationsMax`. */
  annotationPagesMax: 10,
  /** Tries of one request to GitHub; writes are repeated only when GitHub said that it did not act. */
  requestTriesMax: 4,
  /** Before the second try; each further one waits longer. */
  requestRetryMs: 500,
  /** Without a header that says how long: at least a minute (GitHub docs, rate limits). */
  requestLimitWaitMs: 60_000,
  /** A longer wait is left to the next trigger: nothing is lost, what is owed is derivable. */
  requestWaitMsMax: 90_000,
  /** Answers with their ETag that one process keeps: the threads, comments and files of all live runs. */
  etagCacheEntries: 200,
  /**
   * Comments, reviews or edits that are read of one thread: eight times what GitHub takes (it refuses the 2,501st comment),
   * so that nobody's flood makes a thread unknown. One with more since its run began is.
   */
  threadCommentsMax: 20_000,
  /** Texts of comments of which a process remembers that nothing in them looks like a token: those of two full threads. */
  commentTextsKept: 40_000,
  /** Characters of texts without their tokens that a process keeps: 500 of the longest. */
  commentCharactersKept: 32_000_000,
  /** Pushes of a branch that are read, one page of GitHub's: a branch with more since the bot's own is refused. */
  branchPushesRead: 100,
  /** Difference to GitHub's clock that is taken for network delay and whole seconds. */
  clockSlackMs: 3_000,
  /** An installation token is replaced so long before its hour is over. */
  tokenSlackMs: 5 * 60 * 1_000,
  /** Pages of 100 installations, and of 100 repositories of each. */
  discoveryPagesMax: 50,
  /** How often the server asks where it is installed; a webhook from a new repository is heard at once. */
  discoveryPeriodMs: 6 * 60 * 60 * 1_000,
  /** A permission that GitHub does not tell is asked for again on every trigger; after this the person is told. */
  permissionPatienceMs: 10 * 60 * 1_000,
  /** People whose permission one trigger asks for: more waiting commands than that are answered on the next. */
  permissionsPerTriggerMax: 20,
  /** People whose permission a runner asks for before it acts: any stranger may write a brake, and it asks once a launch. */
  brakeAuthorsMax: 200,
  /** So long before an approval a brake in another thread may have been said and not be in the record yet: three sweeps. */
  brakeReachMs: 90 * 60 * 1_000,
  /** Pages of a hundred comments, written in the repository since an approval, in which a launcher looks for brakes: whoever floods it with more holds the launch back. */
  brakePagesMax: 100,
  /** Holds and ends of holds that name a run in other threads, each of which a launcher reads again: two a person. */
  namedHoldsReadMax: 40,
  /** People with a role here, in ten requests; a larger lab's later ones are not named, and of them nobody is called a stranger. */
  peopleListedMax: 1_000,
} as const;
