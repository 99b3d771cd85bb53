/** The bounds of what is read and may be hostile (configs, comments, Python, metrics, cluster files), a part of `limits`, and why each is what it is. */

export const readingLimits = {
  /** A config is a page or two; more is a mistake or an attack on the parser. */
  configCharactersMax: 100_000,
  /** YAML aliases may refer to each other and grow without end; a config has a handful. */
  configAliasesMax: 20,
  /** One open bracket can make every later line wrong; nobody reads more. */
  configProblemsMax: 200,
  /** A lab that is told two weeks before has time to make, review and roll out the next signing key. */
  keyEndsSoonMs: 14 * 24 * 60 * 60 * 1_000,
  /** GitHub refuses a longer comment or body (422). */
  commentCharactersMax: 65_536,
  /** Commands that one comment may give, and lines of it that may be answered as wrong. */
  commentCommandsMax: 10,
  /** What is parsed of somebody who may do something here, or whose own body it is. */
  commentOfTrusted: {
    characters: 65_536,
    /** Markdown's blocks cost the square of the lines at worst: 5,000 lines of one paragraph take 0.25 s. */
    lines: 5_000,
    /** Quotes and lists in each other: nobody reads the tenth, and the parser recurses. */
    depth: 24,
    /** Quote signs and bullets of a whole comment: 3,000 take 0.2 s. */
    containers: 3_000,
    /** Lines of dashes or equals signs: each makes the parser walk back through the comment; 250 take 0.3 s. */
    underlines: 250,
    /** Bars, each of which may end a cell of a table: 8,000 take 0.2 s. */
    cells: 8_000,
    /** Signs of emphasis, links, tags, code and escapes outside code blocks: 8,000 take 0.3 s. */
    signs: 8_000,
    /** Sum of the squares of the emphasis signs of each paragraph: 1,000 open ones in one paragraph take 0.2 s. */
    signPairs: 1_000_000,
    /** Sum of brackets times length of each paragraph: each may be looked ahead from; 15 million take 0.2 s. */
    lookahead: 15_000_000,
    /** Elements of its page, formatting that is carried on among them: 65,536 characters hold 16,384 `<br>`; these take 0.1 s. */
    elements: 20_000,
  },
  /**
   * What is parsed of anybody: pages of prose, and of every shape above so much that a comment costs a few milliseconds. A
   * thread may hold thousands of them, and whoever looks reads it whole.
   */
  commentOfStranger: {
    characters: 4_096,
    lines: 200,
    depth: 8,
    containers: 150,
    underlines: 20,
    cells: 300,
    signs: 400,
    signPairs: 20_000,
    lookahead: 400_000,
    elements: 2_000,
  },
  /** An experiment file has hundreds of lines. A hostile file of this size is told apart in two or three seconds. */
  pythonFileCharsMax: 262_144,
  /** Deeper nesting than CPython's own parser takes in practice; the core recurses once or twice a level. */
  pythonDepthMax: 1_000,
  /** Python compiles the longest file that is read in half a second; starting it on a busy machine takes a few. */
  pythonCompileTimeoutMs: 15_000,
  /** Of address space: the longest file takes a tenth of it. */
  pythonCompileMemoryBytesMax: 1_000_000_000,
  /** A version, a line and a message. */
  pythonCompileOutputBytesMax: 20_000,
  /** Cells of the table that aligns two lists: 2,000 changed statements against 2,000, 32 MB for a moment. */
  alignCellsMax: 4_000_000,
  /** A record of metrics has some hundred keys; megabytes of them are not a summary. */
  metricsFileBytesMax: 4 * 1024 * 1024,
  /** What this program or its wrapper writes beside a job: the longest is a job's command. */
  recordFileBytesMax: 4 * 1024 * 1024,
  /** A name of a metric; longer ones are left out. */
  metricNameCharactersMax: 200,
  /** All names and values of one summary: with them the entry of a job's end stays well within one line. */
  metricsCharactersMax: 256 * 1024,
  /** Flattened keys, the nested ones among them; Paloma alone has some hundred. */
  metricsKeysMax: 5_000,
  /** A tracker answers within a second; it is one witness of several, and all runs of a watch wait for it. */
  trackerTimeoutMs: 10_000,
  /** The same as of a file of metrics: a summary has some hundred keys. */
  trackerAnswerBytesMax: 4 * 1024 * 1024,
  /** After no answer it is left alone for so long: with two hundred runs the time-outs would take half an hour. */
  trackerPauseMs: 60_000,
  /** The longest pause that a tracker may ask for: beyond it a mistake there would blind the watch. */
  trackerWaitMsMax: 60 * 60 * 1_000,
  /** An answer's own words in our messages. */
  trackerWordsMax: 200,
  /** Trackers nest a summary two or three deep. */
  metricsDepthMax: 16,
  /** Cluster files of one branch that are linted, and how long each may be: a fork may send anything. */
  infraFilesMax: 30,
  /** A cluster file is some pages; more is a mistake or an attack on the parser. */
  infraCharactersMax: 100_000,
  /** All cluster files of one look together: thirty of the longest would take half a minute. */
  infraLookCharactersMax: 200_000,
  /** Commands of one file, those behind an alias counted each time: a lab has some dozens. */
  infraEntriesMax: 400,
  /** Each alias is looked up in the whole file; a lab shares a list or two. */
  infraAliasesMax: 50,
  /** One command: an inlined script of 300 lines. The reader's steps grow faster than the text. */
  infraCommandCharactersMax: 16_384,
  /** Each command is held against each mount point; a cluster has one or two. */
  infraMountPointsMax: 20,
  /** Characters of a file's commands once variables are filled in: `bash -c $A$A` multiplies what is read. */
  shellFilledCharactersMax: 200_000,
  /** Brackets and nested signs of such a file: Node's stack ends at some 1,000 levels of YAML. */
  infraNestingMax: 500,
  /** Groups, negations and links of one chain of commands: no set-up script nests so deep, and the reader recurses. */
  shellNestingMax: 200,
  /** A path is shorter; a variable that doubles itself would otherwise grow past all memory. */
  shellValueCharactersMax: 1_024,
} as const;
