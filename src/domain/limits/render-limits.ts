/** The bounds of what people are shown, a part of `limits`, and why each is what it is. */

export const renderLimits = {
  /** People whom one comment mentions: more would teach everybody to look away. */
  mentionsMax: 20,
  /** The end of a check's output that people are shown: where the reason stands. */
  checkOutputShownChars: 1_500,
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
  /** Weeks and months whose cost is told: a quarter, and half a year. */
  shownPeriodsMax: { week: 13, month: 6 },
  /** Rows of a backtest in a check's summary; the command line lists them all. */
  shownBacktestRowsMax: 50,
  /** Findings in the cluster files that a check's summary lists; as many as GitHub takes as annotations at once. */
  shownFindingsMax: 50,
  /** Annotations of one check: six requests of the 80 content writes that GitHub allows a minute. */
  annotationsMax: 300,
  /** Incidents that the card lists, newest first. */
  shownIncidentsMax: 5,
  /** A title of an issue, a pull request or a check run. */
  titleCharsMax: 120,
  /** Points that a chart draws: more would touch each other at the width of a comment. */
  chartPointsMax: 40,
  /** A line needs three points to have a shape. */
  chartPointsMin: 3,
  /** Metrics in one line where the lab named no key metrics. */
  shownMetricsMax: 8,
  /**
   * The whole manifest on the card, folded: a ferry's has two to four thousand characters, a hero run's with its contract some
   * ten thousand. A longer one is not launched, since nobody would see all of it; the card has 65,536.
   */
  shownManifestCharsMax: 20_000,
  /** Text that somebody is to paste into a description: all parts of one, with as many commits and issues as are listed. */
  pastedCharsMax: 20_000,
  /** The end of a log, folded: all that is kept of it. */
  shownLogEndCharsMax: 9_100,
  /** The exact steps of a proposal, folded: the command that clears a mount point has some 3,000. */
  shownStepsCharsMax: 12_000,
  /** Forms of steps that one issue shows: all machines of a cluster are cleared alike. */
  shownStepFormsMax: 2,
  /** A program's words in the row of one machine among hundreds. */
  briefCauseCharsMax: 60,
  /** The largest folders of a worker that are recorded and shown. */
  shownFoldersMax: 5,
} as const;
